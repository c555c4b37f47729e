import { afterAll, beforeEach } from 'vitest';
import type { z } from 'zod';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { createLiveReads } from '../../infra/postgresql/read-models/live-reads.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { getAgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { searchAgenda, type SearchAgendaData } from '../../contract/tools/search-agenda.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { AgendaEvents, agendaId } from './agenda-events.ts';
import { DAY_MS, TEST_TIME, TestClock } from './civic.ts';
import { startTestDatabase } from './embedded-database.ts';
import { foldInto } from './projection-spec.ts';

export type TestSearch = Awaited<ReturnType<typeof openTestSearch>>;

/** Arguments of the tool as a caller sends them. */
export type SearchArguments = z.input<typeof searchAgenda.input>;

/** The tables of the search on a separate database, the events that fill them, and the checked queries of the two tools. */
export async function openTestSearch() {
  const server = await startTestDatabase();
  const database = await openDatabase({ dsn: server.url, statementTimeoutMs: 20_000 });
  const store = createGenerationStore(database.transactor);
  const { generation } = await store.create(agendaSearch, 'live', 0);
  /** Every statement that the queries sent. */
  const statements: Statement[] = [];
  const rows = async <Row>(statement: Statement) => {
    statements.push(statement);
    return database.read.rows<Row>(statement);
  };
  const reads = createLiveReads({ ...database.read, rows });
  const clock = new TestClock();
  const ask = createSearchAgenda({ reads: () => reads, clock, timezone: 'America/Chicago' });
  const { signal } = new AbortController();
  const item = createGetAgendaItem({ reads, clock });
  const search = async (input: unknown) => {
    const page = await ask(searchAgenda.input.parse(input), signal);
    searchAgenda.data.parse(page.data);
    return page;
  };
  const execute = <Row>(statement: Statement) =>
    database.transactor.transaction((transaction) => transaction.query<Row>(statement));
  return {
    server,
    database,
    store,
    generation,
    clock,
    sent: statements,
    reads,
    events: new AgendaEvents(),
    execute,
    fold: (batch: readonly StoredEvent[], into = generation, turn = batch.length) =>
      foldInto(database, agendaSearch, into, batch, turn),
    /** Another set of tables, which no reader uses. */
    scratch: async () => (await store.create(agendaSearch, 'scratch', 0)).generation,
    page: search,
    search: async (input: unknown): Promise<SearchAgendaData> => (await search(input)).data,
    /** Names of the items found, in order, over all pages of this size. */
    async all(input: SearchArguments): Promise<readonly string[]> {
      const ids: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { data } = await search({ ...input, ...(cursor === undefined ? {} : { cursor }) });
        ids.push(...data.results.map(({ itemId }) => itemId));
        cursor = data.nextCursor;
      }
      return ids;
    },
    item: async (name: string) => {
      const itemResult = await item(agendaId('agenda_items', name));
      return itemResult === null ? null : getAgendaItem.data.parse({ item: itemResult, truncated: false }).item;
    },
    async clear(generations: readonly number[] = [generation]): Promise<void> {
      const tables = generations.flatMap((number) => agendaSearch.tables(number));
      await execute({ text: `truncate ${tables.join(', ')}`, values: [] });
    },
    async close(): Promise<void> {
      await database.close();
      await server.close();
    },
  };
}

/** One database of the search for a test file, empty and at the test's time before each test. */
export async function useTestSearch(): Promise<TestSearch> {
  const search = await openTestSearch();
  beforeEach(async () => {
    await search.clear();
    search.clock.time = TEST_TIME;
  });
  afterAll(() => search.close());
  return search;
}

/** Ids of items by the names that a test gave them. */
export const itemIds = (...names: readonly string[]): readonly string[] =>
  names.map((name) => agendaId('agenda_items', name));

/** Noon, or another hour, so many days after the test's time. */
export const at = (day: number, hours = 12): string =>
  new Date(TEST_TIME + day * DAY_MS + hours * 3_600_000).toISOString();

/** A meeting of that body with one item of each title, named by the title's first word. */
export const meetingWithItems = (
  events: TestSearch['events'],
  name: string,
  body: string,
  startsAt: string,
  titles: readonly string[],
) => [
  events.meeting(name, body, startsAt),
  ...titles.map((title) => events.item(title.split(' ')[0]!, name, { title })),
];
