import { z } from 'zod';
import type { RecordChange } from '../../../commands/records/write-records.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import { upsert } from '../source.ts';
import formerTopics from './data/former-topics.json' with { type: 'json' };
import topics from './data/topics.json' with { type: 'json' };

/** The version is raised whenever the shipped topics change; the digests of those of the version before join `former-topics.json`. */
export const TAXONOMY_SEED = { name: 'taxonomy', version: 5, former: new Set(formerTopics) } as const;
export const taxonomyTopicId = (slug: string): string => derivedId('taxonomy', 'topic', slug);

const shippedTopic = z.strictObject({
  slug: z.string(),
  name: z.string(),
  publicLabel: z.string(),
  description: z.string(),
  keywords: z.array(z.string()).min(1),
  negativeKeywords: z.array(z.string()),
});

export const SHIPPED_TOPICS = z.array(shippedTopic).parse(topics);

/** Every record of the taxonomy: each topic can be selected, is used in classification and is an ordinary record that can be edited. */
export const taxonomyRecords = (): readonly RecordChange[] =>
  SHIPPED_TOPICS.map((topic) =>
    upsert('topics', taxonomyTopicId(topic.slug), {
      ...topic,
      selectable: true,
      classificationActive: true,
      taxonomyManaged: true,
    }),
  );
