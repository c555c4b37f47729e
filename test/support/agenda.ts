import { afterAll, beforeEach } from 'vitest';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { createLiveReads } from '../../infra/postgresql/read-models/live-reads.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { createAgendaProjection } from '../../projections/agenda/projection.ts';
import { createGetPublicBodyCadence } from '../../queries/agenda/get-public-body-cadence.ts';
import { createListPublicSourceStatuses } from '../../queries/coverage/list-public-source-statuses.ts';
import {
  createGetAgendaHit,
  createListRecentAgendaHits,
  createListUpcomingAgendaHits,
} from '../../queries/agenda/agenda-hits.ts';
import { getAgendaHit } from '../../contract/get-agenda-hit.ts';
import type { JsonPage, RecentHitsInput, UpcomingHitsInput } from '../../contract/inputs.ts';
import { listRecentAgendaHits, MAX_RECENT_HITS } from '../../contract/list-recent-agenda-hits.ts';
import { listUpcomingAgendaHits } from '../../contract/list-upcoming-agenda-hits.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { COVERED_BODIES } from '../../src/sources/catalogue/catalogue-records.ts';
import { SAMPLE_BODY_SLUG, SAMPLE_JURISDICTION_SLUG } from '../../src/sources/sample/sample-records.ts';
import { AgendaEvents } from './agenda-events.ts';
import { TEST_TIME, TestClock } from './civic.ts';
import { startTestDatabase } from './embedded-database.ts';
import { foldInto } from './projection-spec.ts';

export const COVERED = [...COVERED_BODIES, { jurisdictionSlug: SAMPLE_JURISDICTION_SLUG, slug: SAMPLE_BODY_SLUG }];
export const agenda = createAgendaProjection(COVERED);

export type TestAgenda = Awaited<ReturnType<typeof openTestAgenda>>;

/** The tables of the agenda on a separate database, the events that fill them, and their queries. */
export async function openTestAgenda() {
  const server = await startTestDatabase();
  const database = await openDatabase({ dsn: server.url, statementTimeoutMs: 10_000 });
  const store = createGenerationStore(database.transactor);
  const { generation } = await store.create(agenda, 'live', 0);
  const reads = createLiveReads(database.read);
  const clock = new TestClock();
  const events = new AgendaEvents();
  const recent = createListRecentAgendaHits({ reads, clock });
  const upcoming = createListUpcomingAgendaHits({ reads, clock });
  const detail = createGetAgendaHit({ reads, clock });
  const fold = (batch: readonly StoredEvent[], into = generation) => foldInto(database, agenda, into, batch);
  return {
    server,
    database,
    store,
    generation,
    reads,
    clock,
    events,
    fold,
    /** Another set of tables, which no reader uses. */
    scratch: async () => (await store.create(agenda, 'scratch', 0)).generation,
    recent: async (input: Partial<RecentHitsInput> = {}) =>
      listRecentAgendaHits.success.schema.parse(parsed(await recent({ limit: MAX_RECENT_HITS, ...input }))).data,
    upcoming: async (topicSlug: string, input: Partial<UpcomingHitsInput> = {}) =>
      listUpcomingAgendaHits.success.schema.parse(parsed(await upcoming({ topicSlug, count: false, ...input }))),
    detail: async (matchId: string) => getAgendaHit.success.schema.parse(parsed(await detail(matchId))).data,
    cadence: createGetPublicBodyCadence({ reads, clock, pairs: COVERED_BODIES }),
    sourceStatuses: createListPublicSourceStatuses({ reads, clock }),
    async clear(generations: readonly number[] = [generation]): Promise<void> {
      const tables = generations.flatMap((number) => agenda.tables(number));
      await database.transactor.transaction((transaction) =>
        transaction.query({ text: `truncate ${tables.join(', ')}`, values: [] }),
      );
      events.forget();
    },
    async close(): Promise<void> {
      await database.close();
      await server.close();
    },
  };
}

/** One database of the agenda for a test file, empty and at the test's time before each test. */
export async function useTestAgenda(): Promise<TestAgenda> {
  const opened = await openTestAgenda();
  beforeEach(async () => {
    await opened.clear();
    opened.clock.time = TEST_TIME;
  });
  afterAll(() => opened.close());
  return opened;
}

const parsed = ({ text }: JsonPage): unknown => JSON.parse(text);
