import { beforeEach, describe, expect, test } from 'vitest';
import { at, useTestSearch } from '../support/agenda-search.ts';

const search = await useTestSearch();
const { events } = search;

const item = (name: string, title: string, more: object = {}) =>
  events.item(name, 'm', { title, agendaNumber: '1', ...more });

/** The first words of the titles that were found, in order. */
const titlesFor = async (query: string): Promise<readonly string[]> =>
  (await search.search({ query })).results.map(({ title }) => title.split(' ')[0]!);

beforeEach(() => search.fold([...events.place('dallas'), events.meeting('m', 'dallas', at(0))]));

describe('a word as it was typed', () => {
  test.each([
    ['parking', 'Parks board', 'a fee for parking at the stadium on the weekend of the fair'],
    ['university', 'Universal Universal fund', 'lease to the university of medicine, nursing and many other subjects'],
    ['elevator', 'Elevated Elevated tower', 'repair of an elevator of the old library in the center'],
  ])('%s comes before a word of the same stem', async (query, stem, exact) => {
    await search.fold([item('stem', `stem ${stem}`), item('exact', `exact ${exact}`)]);
    expect(await titlesFor(query)).toEqual(['exact', 'stem']);
  });

  test('in the text comes before its stem in the title', async () => {
    await search.fold([
      item('stem', 'stem Parks'),
      item('text', 'text Budget', { text: `${'The council meets. '.repeat(30)}It discusses parking.` }),
    ]);
    expect(await titlesFor('parking')).toEqual(['text', 'stem']);
  });

  test('is the same word in singular and plural', async () => {
    await search.fold([
      item('plural', `plural Elevators ${'of a large building '.repeat(3)}`),
      item('one', `one Elevator ${'of a large building '.repeat(6)}`),
      item('stem', 'stem Elevated tower'),
      item('cities', 'cities Twin cities'),
      item('town', 'town Twin city'),
      item('boxes', 'boxes Signal boxes'),
    ]);
    expect(await titlesFor('elevator')).toEqual(['plural', 'one', 'stem']);
    expect(await titlesFor('elevators')).toEqual(['plural', 'one', 'stem']);
    expect((await titlesFor('twin cities')).toSorted()).toEqual(['cities', 'town']);
    expect(await titlesFor('box')).toEqual(['boxes']);
  });
});

describe('words that stand together', () => {
  test('in the text come before the same words apart in the title', async () => {
    await search.fold([
      item('apart', 'apart Real-time crime center with data integration'),
      item('side', 'side Zoning case', { text: `${'The council meets. '.repeat(30)}The use is a data center.` }),
    ]);
    expect(await titlesFor('data center')).toEqual(['side', 'apart']);
    expect(await titlesFor('data centers')).toEqual(['side', 'apart']);
  });

  test('may contain another spelling of a type of street', async () => {
    await search.fold([
      item('apart', 'apart Burnet library beside the road, Road'),
      item('side', `side Paving of ${'a part of the long '.repeat(4)} Burnet Rd`),
    ]);
    expect(await titlesFor('Burnet Road')).toEqual(['side', 'apart']);
  });
});

describe('a type of street', () => {
  test.each([
    ['Elm Road', 'Elm Rd'],
    ['Elm rd.', 'Elm Road'],
    ['Elm Avenue', 'Elm Ave.'],
    ['Elm Ave', 'Elm Av'],
    ['Elm Lane', 'Elm Ln'],
    ['Elm Ct', 'Elm Court'],
    ['Elm Street', 'Elm St'],
    ['Elm Trail', 'Elm Trl'],
    ['Elm Pkwy', 'Elm Parkway'],
  ])('%s finds %s', async (query, title) => {
    await search.fold([item('one', `one Sidewalk on ${title}`)]);
    expect(await titlesFor(query)).toEqual(['one']);
  });

  test('is common and is left out first, and is no spelling error', async () => {
    await search.fold([
      item('road', 'road Paving of Oak Road'),
      item('other', 'other Paving of Ash Road'),
      item('quarry', 'quarry Sale'),
    ]);
    expect((await titlesFor('quarry road'))[0]).toBe('quarry');
    expect((await search.search({ query: 'Ash Parkway' })).guidance).not.toContain('No record has');
  });
});
