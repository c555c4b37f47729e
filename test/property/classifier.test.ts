import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECORD_SCHEMAS } from '../../domain/records/resources.ts';
import { plainText } from '../../domain/text/source-text.ts';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { SHIPPED_TOPICS } from '../../src/sources/taxonomy/taxonomy-records.ts';
import { shippedTaxonomy, subject } from '../support/classifier-subjects.ts';
import { testRuns } from '../support/test-runs.ts';

const PIECES = [
  'Authorize a contract with Example Builders, Inc. for',
  'A public hearing to receive comments on',
  '100 Example Street',
  'on the north line of Sample Road, between First Street and 2nd Avenue',
  'property zoned an R-5(A) Single Family District',
  'in an amount not to exceed $1,000.00',
  '- Not to exceed $5,000,000.00 - Financing: General Fund',
  'Recommendation of Staff: Approval',
  'to be held on April 7, 2026',
  '; (2) an ordinance amending Chapter 5;',
  'No. 12.',
  'Note: This item was deferred.',
  '“quoted” Ünïcode ½ 🚰',
];
const KEYWORDS = SHIPPED_TOPICS.flatMap((topic) => [...topic.keywords, ...topic.negativeKeywords]);
const passage = (maximum: number) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...PIECES),
        fc.constantFrom(...KEYWORDS),
        fc.string({ unit: 'grapheme', maxLength: 12 }),
      ),
      {
        minLength: 1,
        maxLength: maximum,
      },
    )
    .chain((pieces) => fc.constantFrom(' ', '. ', ', ', '\n').map((gap) => pieces.join(gap)));
/** Stored items are normalised, so the generated items are too. */
const stored = fc
  .record({
    title: passage(40),
    text: fc.option(passage(60)),
    matterType: fc.option(fc.constantFrom('Zoning Case', 'CONSENT AGENDA', 'Plat')),
  })
  .filter(({ title, text }) => title.trim() !== '' && text?.trim() !== '')
  .map(({ title, text, matterType }) => subject(title, { item: { text, matterType } }));

describe('for any item', () => {
  test('a quote and every place occur in it verbatim, and the hit can be stored unchanged', () => {
    fc.assert(
      fc.property(stored, (subject) => {
        const sources = [subject.item.title, subject.item.text ?? ''].map(plainText);
        for (const { content } of classifyItem(subject, shippedTaxonomy)) {
          const words = content.evidenceQuote.replace(/^… | …$/g, '');
          expect(sources.some((source) => source.includes(words))).toBe(true);
          for (const { sourceText } of content.affectedLocation.locations)
            expect(sources.some((source) => source.includes(sourceText))).toBe(true);
          const hit = { ...content, classifiedAt: '2026-01-01T00:00:00.000Z' };
          expect(RECORD_SCHEMAS.agenda_hits.parse(hit)).toEqual(hit);
          expect(content.confidence).toBeGreaterThanOrEqual(65);
        }
      }),
      { numRuns: testRuns(100) },
    );
  });

  test('a second run finds the same hits, and no topic twice', () => {
    fc.assert(
      fc.property(stored, (subject) => {
        const hits = classifyItem(subject, shippedTaxonomy);
        expect(classifyItem(structuredClone(subject), shippedTaxonomy)).toEqual(hits);
        expect(new Set(hits.map((hit) => hit.content.topicId)).size).toBe(hits.length);
      }),
      { numRuns: testRuns(40) },
    );
  });

  test('only the beginning of a mebibyte of text is read', () => {
    const far = subject('Item of business', {
      item: {
        text: `${'nothing to see '.repeat(70_000)} zoning, rezoning, zoning district, specific use permit, zoning ordinance`,
      },
    });
    expect(classifyItem(far, shippedTaxonomy)).toEqual([]);
  });
});
