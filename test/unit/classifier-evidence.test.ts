import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { evidenceQuote, QUOTE_LIMIT } from '../../src/classifier/texts/evidence-quote.ts';
import { sentencesOf } from '../../src/classifier/texts/sentences.ts';
import { KEYWORDS_ONLY, shippedTaxonomy, subject, type SubjectParts } from '../support/classifier-subjects.ts';

function quote(title: string, parts: SubjectParts = {}): string {
  const [hit] = classifyItem(subject(title, parts), shippedTaxonomy, KEYWORDS_ONLY);
  if (hit === undefined) throw new Error(`no hit: ${title}`);
  return hit.content.evidenceQuote;
}
const quoteOf = (text: string, words: string): string => {
  const start = text.indexOf(words);
  return evidenceQuote(text, { start, end: start + words.length });
};

describe('the evidence', () => {
  it('is the sentence that contains the keyword, without the source of the money', () => {
    expect(
      quote(
        'Consider a gift of Example Co. to the city. Rezoning of 5 acres at 1 Sample St. near the creek. Thank the donor. Financing: None',
      ),
    ).toBe('Rezoning of 5 acres at 1 Sample St. near the creek.');
  });

  it('is taken from the text if the title does not contain the keyword', () => {
    const text = 'The owner came.\nA zoning change of two acres from retail to homes is asked for.';
    expect(quote('Case 12', { item: { text } })).toBe(
      'A zoning change of two acres from retail to homes is asked for.',
    );
  });

  it('is taken from the action that the source proposes for an item without a text', () => {
    const actionText =
      'Adopt a resolution approving a zoning change of two acres.\nCEQA: annexation of land in the extraterritorial jurisdiction was reviewed.';
    expect(quote('Actions on Sample Lane', { item: { actionText } })).toBe(
      'Adopt a resolution approving a zoning change of two acres.',
    );
    const hits = classifyItem(
      subject('Actions on Sample Lane', { item: { actionText, text: 'The owner came.' } }),
      shippedTaxonomy,
      KEYWORDS_ONLY,
    );
    expect(hits).toEqual([]);
    const acted = { actionText: 'Approved a zoning change of two acres.' };
    expect(classifyItem(subject('Actions on Sample Lane', { item: acted }), shippedTaxonomy, KEYWORDS_ONLY)).toEqual(
      [],
    );
  });

  it.each([',', '-', '; –'])(
    'is the unchanged title when the title is "%s" and only the kind of matter matches',
    (title) => expect(quote(title, { item: { matterType: 'Zoning Case' } })).toBe(title),
  );

  it('is limited to the clauses around the keyword in a very long sentence', () => {
    const title = `Authorize (1) ${'one more of many duties of the manager; (2) '.repeat(15)} annexation of land in the extraterritorial jurisdiction; ${'and so on; '.repeat(60)}`;
    const [, before, words, after] = /^(… )?(.*?)( …)?$/.exec(quote(title))!;
    expect(title).toContain(words);
    expect(words).toContain('annexation');
    expect(words!.length).toBeLessThanOrEqual(QUOTE_LIMIT);
    expect([before, after]).toEqual(['… ', ' …']);
  });

  it('shows by an ellipsis that the price or the recommendation behind it is left out', () => {
    expect(quote('Rezoning of 5 acres - Financing: None')).toBe('Rezoning of 5 acres …');
    expect(quote('Rezoning of 5 acres Recommendation of Staff: Approval')).toBe('Rezoning of 5 acres …');
  });

  it('contains neither tags nor entities of a text that an import sends with them', () =>
    expect(quote('<b>Rezoning</b> of land &amp; water&nbsp;rights')).toBe('Rezoning of land & water rights'));

  it.each([
    'Honor Rev. Jo Example for the rezoning work',
    'Promote Sgt. Example of the police department',
    'Adopt Resolution No. 12 on the rezoning of land',
    'Authorize a contract with Sample Bros. Corporation for lamps',
    'Lease land to Example, Inc. Texas for a hangar',
    'Repave 12 Sample St. Phase two',
    'Meet at 7 p.m. Tuesday on the rezoning',
    'Buy parts of U.S. Example Supply for the fleet',
    'Approve signs (see Exh. A) at the crossing',
  ])('is not cut at an abbreviation: "%s"', (text) =>
    expect(quoteOf(`${text}. Thank all.`, text.slice(0, 4))).toBe(`${text}.`),
  );

  it('ends behind an abbreviation where another sentence begins', () =>
    expect(sentencesOf('Pay Example, Inc. The term is a year. It ends.').length).toBe(3));
});
