import { beforeEach, expect, test } from 'vitest';
import { at, useTestSearch } from '../support/agenda-search.ts';

const search = await useTestSearch();
const { events } = search;
const FILLING = 'Whereas the council meets and it is so ordered. '.repeat(20);

const excerptOf = async (query: string): Promise<string> => (await search.search({ query })).results[0]!.excerpt;
const item = (title: string, text: string | null) =>
  search.fold([events.item('one', 'm', { title, agendaNumber: '1', ...(text === null ? {} : { text }) })]);

beforeEach(() => search.fold([...events.place('dallas'), events.meeting('m', 'dallas', at(0))]));

test('an excerpt shows words that stand together before the same words apart', async () => {
  await item('Levy', `The data are old. ${FILLING} A data center opens. ${FILLING} The center closes. ${FILLING}`);
  expect(await excerptOf('data centers')).toContain('A data center opens');
});

test('an excerpt shows where all words are before where one is', async () => {
  const text = `A quarry is old. ${FILLING} The quarry near the small orchard opens. ${FILLING} An orchard. ${FILLING}`;
  await item('Levy', text);
  expect(await excerptOf('orchard quarry')).toContain('The quarry near the small orchard');
});

test('an excerpt shows the word as it was typed before its stem', async () => {
  await item('Levy', `The parks are old. ${FILLING} A fee for parking. ${FILLING}`);
  expect(await excerptOf('parking')).toContain('A fee for parking');
  expect(await excerptOf('park')).toContain('The parks are old');
});

test('an excerpt shows the title if the text has fewer of the words', async () => {
  await item(`${FILLING} Quarry beside the orchard ${FILLING}`, `An orchard. ${FILLING}`);
  expect(await excerptOf('quarry orchard')).toContain('Quarry beside the orchard');
});

test('an excerpt does not show the name of a place if it can show other words', async () => {
  await item('Levy', `The City of Dallas. ${FILLING} A quarry opens. ${FILLING}`);
  expect(await excerptOf('quarry in Dallas')).toContain('A quarry opens');
  expect(await excerptOf('Dallas')).toContain('The City of Dallas');
});

test('an excerpt of an item that matches by its names alone begins with its title', async () => {
  await item(`Levy ${FILLING}`, `Whereas. ${FILLING}`);
  expect(await excerptOf('Dallas')).toMatch(/^Levy Whereas/);
  expect(await excerptOf('in January 2026')).toMatch(/^Levy Whereas/);
});

test('an excerpt of tables of version 8 shows stems', async () => {
  await item('Levy', `The parks are old. ${FILLING} A fee for parking. ${FILLING}`);
  const table = `civic.agenda_search_entries_g${search.generation}`;
  await search.execute({ text: `alter table ${table} rename column forms to missing`, values: [] });
  try {
    expect(await excerptOf('parking')).toContain('The parks are old');
  } finally {
    await search.execute({ text: `alter table ${table} rename column missing to forms`, values: [] });
  }
});
