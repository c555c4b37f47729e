import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legistarFolderReader } from '../../infra/legistar/folder-client.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { writeReferenceRecords } from '../../src/sources/first-run.ts';
import { syncLegistar } from '../../src/sources/legistar/sync.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

/** Recorded answers of Dallas and Fort Worth; they are not in the repository. */
const RECORDINGS = process.env['LEGISTAR_RECORDINGS'] ?? fileURLToPath(new URL('../../../shared/data/legistar-api', import.meta.url));
const CLIENTS = ['cityofdallas', 'fortworthgov'];
const there = CLIENTS.every((client) => existsSync(`${RECORDINGS}/${client}/events.json`));

interface Question {
  readonly question: string;
  /** One of these files must come first. */
  readonly matterFiles: readonly string[];
}

const QUESTIONS = JSON.parse(await readFile(new URL('../fixtures/search-questions.json', import.meta.url), 'utf8')) as Question[];
const FOUND_IN = 3;
const ENOUGH = 16;

describe.skipIf(!there)('with recordings of Dallas and Fort Worth (set LEGISTAR_RECORDINGS to their folder to run these)', () => {
  let server: TestDatabase;
  let civic: TestCivic;

  beforeAll(async () => {
    server = await startTestDatabase();
    civic = await openTestCivic(server.url);
    const projections = [recordHistory, recordReferences, agendaSearch];
    civic.startProjector(projections, { batchSize: 2000 });
    const { clock, writer } = civic;
    const names = projections.map(({ name }) => name);
    await civic.caughtUp(undefined, names);
    await writeReferenceRecords(civic);
    const known = publishedRecords(civic.reads, civic.log);
    for (const client of CLIENTS) {
      await civic.caughtUp(undefined, names);
      const reader = legistarFolderReader({ directory: RECORDINGS, client });
      const { failure } = await syncLegistar(reader, { client, options: {} }, { writer, known, clock });
      if (failure !== null) throw new Error(failure);
    }
    await civic.caughtUp(undefined, names);
  });

  afterAll(async () => {
    await civic?.close();
    await server?.close();
  });

  test('headings have no entry, and every item with more than a title has one', async () => {
    const { generation } = (await civic.generations.list()).find(
      ({ projection, state }) => projection === agendaSearch.name && state === 'live',
    )!;
    const { items, entries } = AGENDA_SEARCH.at(generation);
    const rows =
      await civic.rows(`select i.title, num_nonnulls(i.text, i.agenda_number, i.matter_file, i.matter_type, i.action_text, i.outcome)::text
      from ${items} i left join ${entries} e on e.item_id = i.item_id where e.item_id is null`);
    const titles = new Set(rows.map(([title]) => title!));
    expect(rows.filter(([, more]) => more !== '0')).toEqual([]);
    expect([titles.has('CONSENT AGENDA'), titles.has('Page Break'), titles.has('Park & Recreation Department')]).toEqual([
      true,
      true,
      true,
    ]);
    expect({ rows: rows.length, titles: titles.size }).toEqual({ rows: 3396, titles: 122 });
  });

  test(`of twenty typical questions at least ${ENOUGH} find their item among the first ${FOUND_IN}`, async () => {
    const search = createSearchAgenda({ reads: () => civic.reads, clock: civic.clock });
    const { signal } = new AbortController();
    const item = createGetAgendaItem(civic);
    const places = await Promise.all(
      QUESTIONS.map(async ({ question, matterFiles }) => {
        const { data } = await search({ query: question, limit: 20 }, signal);
        const items = await Promise.all(data.results.map(({ itemId }) => item(itemId)));
        return { question, place: items.findIndex((each) => matterFiles.includes(each?.matterFile ?? '')) + 1 };
      }),
    );
    const missed = places.filter(({ place }) => place === 0 || place > FOUND_IN);
    expect(QUESTIONS).toHaveLength(20);
    expect(missed.length, `missed: ${JSON.stringify(missed)}`).toBeLessThanOrEqual(QUESTIONS.length - ENOUGH);
  });
});
