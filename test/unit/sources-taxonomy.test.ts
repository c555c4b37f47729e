import { describe, expect, it } from 'vitest';
import { RECORD_SCHEMAS } from '../../domain/records/resources.ts';
import { titleWords } from '../../domain/text/words.ts';
import { SHIPPED_TOPICS, TAXONOMY_SEED, taxonomyRecords } from '../../src/sources/taxonomy/taxonomy-records.ts';

describe('the taxonomy', () => {
  it('is a seed of sixteen topics with stable ids and slugs of their own', () => {
    expect(TAXONOMY_SEED).toMatchObject({ name: 'taxonomy', version: 5 });
    expect(taxonomyRecords()).toHaveLength(16);
    expect(new Set(taxonomyRecords().map((change) => change.id)).size).toBe(16);
    expect(new Set(SHIPPED_TOPICS.map((topic) => topic.slug)).size).toBe(16);
    expect(taxonomyRecords()).toEqual(taxonomyRecords());
  });

  it('contains topics that can be stored unchanged, selectable, active and managed by the taxonomy', () => {
    for (const change of taxonomyRecords()) {
      if (change.op !== 'upsert') throw new Error('a seed removes nothing');
      const topic = RECORD_SCHEMAS.topics.parse(change.content);
      expect(change.content).toEqual(topic);
      expect([topic.selectable, topic.classificationActive, topic.taxonomyManaged]).toEqual([true, true, true]);
    }
  });

  const form = (phrase: string): string => titleWords(phrase).join(' ');

  it('repeats no phrase within a topic, and has no phrase as both wanted and excluded', () => {
    for (const topic of SHIPPED_TOPICS) {
      const phrases = [...topic.keywords, ...topic.negativeKeywords].map(form);
      expect(phrases.filter((phrase, at) => phrase === '' || phrases.indexOf(phrase) !== at)).toEqual([]);
    }
  });
});
