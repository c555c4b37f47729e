import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { RECORD_SCHEMAS, type RecordContent, type RecordData } from '../../domain/records/resources.ts';
import { compileTopics, type CompiledTopics } from '../../src/classifier/keywords.ts';
import type { TrainedTopics } from '../../src/classifier/topic-hits.ts';
import { parseLexicon } from '../../src/classifier/topics/lexicon.ts';
import { ITEM_OUTPUT } from '../../src/classifier/topics/topic-model.ts';
import { taxonomyRecords } from '../../src/sources/taxonomy/taxonomy-records.ts';

const TIMES = { createdAt: '2025-01-01T00:00:00.000Z', updatedAt: '2025-01-01T00:00:00.000Z' };

/** A topic as it is published. */
export const topicRecord = (slug: string, content: Partial<RecordContent<'topics'>>): RecordData<'topics'> => ({
  id: derivedId('test', 'topic', slug),
  ...TIMES,
  ...RECORD_SCHEMAS.topics.parse({
    slug,
    name: slug,
    publicLabel: slug.replaceAll('-', ' '),
    description: slug,
    keywords: [],
    negativeKeywords: [],
    selectable: true,
    classificationActive: true,
    taxonomyManaged: false,
    ...content,
  }),
});

/** The shipped topics as they are published. */
export const shippedTopics = (): RecordData<'topics'>[] =>
  taxonomyRecords().map((change) => {
    if (change.op !== 'upsert') throw new Error('the taxonomy writes topics only');
    return { id: change.id, ...TIMES, ...RECORD_SCHEMAS.topics.parse(change.content) };
  });

export const shippedTaxonomy: CompiledTopics = compileTopics(shippedTopics());

/** No topic has a model, so that keywords alone decide. */
export const KEYWORDS_ONLY: TrainedTopics = {
  lexicon: parseLexicon(''),
  model: { corpus: '', seed: 0, outputs: [ITEM_OUTPUT], itemFrom: -Infinity, calibration: [[0, 0]], weights: {} },
};

export interface SubjectParts {
  readonly item?: Partial<RecordContent<'agenda_items'>>;
  readonly meeting?: Partial<RecordContent<'meetings'>>;
  readonly body?: Partial<RecordContent<'public_bodies'>>;
}

/** An invented item of an invented city's council, decided finally and on an evening in March 2026. */
export function subject(title: string, parts: SubjectParts = {}): ClassificationSubject {
  const [jurisdictionId, publicBodyId, meetingId] = ['place', 'body', 'meeting'].map((part) =>
    derivedId('test', part),
  ) as [string, string, string];
  return {
    jurisdiction: {
      id: jurisdictionId,
      ...TIMES,
      ...RECORD_SCHEMAS.jurisdictions.parse({
        slug: 'exampleville',
        name: 'Exampleville',
        level: 'city',
        kind: 'city',
        countySlugs: [],
        timezone: 'America/Chicago',
        active: true,
      }),
    },
    body: {
      id: publicBodyId,
      ...TIMES,
      ...RECORD_SCHEMAS.public_bodies.parse({
        jurisdictionId,
        slug: 'city-council',
        name: 'City Council',
        bodyType: 'governing_body',
        actingBodyRole: 'final_decision_maker',
        timezone: 'America/Chicago',
        active: true,
        ...parts.body,
      }),
    },
    meeting: {
      id: meetingId,
      ...TIMES,
      ...RECORD_SCHEMAS.meetings.parse({
        publicBodyId,
        title: 'City Council',
        startsAt: '2026-03-11T01:00:00.000Z',
        timezone: 'America/Chicago',
        status: 'scheduled',
        sourceUrl: 'https://example.org/meetings/1',
        ...parts.meeting,
      }),
    },
    item: {
      id: derivedId('test', 'item', title),
      ...TIMES,
      ...RECORD_SCHEMAS.agenda_items.parse({
        meetingId,
        sequence: 1,
        agendaNumber: '1.',
        title,
        sourceUrl: 'https://example.org/meetings/1',
        ...parts.item,
      }),
    },
  };
}
