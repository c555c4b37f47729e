import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig } from '../../infra/postgresql/connection/sessions.ts';
import { resolveHits } from '../../projections/agenda/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { createGetPublicBodyCadence } from '../../queries/agenda/get-public-body-cadence.ts';
import {
  createGetAgendaHit,
  createListRecentAgendaHits,
  createListUpcomingAgendaHits,
  createReadNextHits,
} from '../../queries/agenda/agenda-hits.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { encodeUpcomingCursor } from '../../domain/cursor.ts';
import { LONGEST_DAY_MS } from '../../domain/local-day.ts';
import { agendaId } from '../support/agenda-events.ts';
import { COVERED, openTestAgenda, type TestAgenda } from '../support/agenda.ts';
import { TEST_TIME } from '../support/civic.ts';
import { testRuns } from '../support/test-runs.ts';
import { explained, scansOf } from '../support/query-plan.ts';

/** Half of them of covered bodies. */
const HITS = testRuns(125_000);

const TOPICS = 15;
const MEETINGS = 40_000;
const HOUR_MS = 3_600_000;
let agenda: TestAgenda;
let tables: ReturnType<typeof AGENDA.at>;
let session: Client;

/** A connection with the settings of the connections that fold. */
let folding: Client;

/** The statement that a query sends. */
async function statementOf(ask: (reads: LiveReads) => Promise<unknown>): Promise<Statement> {
  let statement: Statement | undefined;
  const reads = {
    rows: (build: (live: () => number) => Statement) => {
      statement = build(() => agenda.generation);
      return Promise.reject(new Error('not run'));
    },
  } as unknown as LiveReads;
  await ask(reads).catch(() => undefined);
  return statement!;
}

/** The 490th hit of its topic, at two hits an hour from now. */
const cursor = () =>
  encodeUpcomingCursor({ startsAt: TEST_TIME + 300 * HOUR_MS, classifiedAt: 0, hitId: agendaId('agenda_hits', 'x') });

async function statements(): Promise<Readonly<Record<string, Statement>>> {
  const { clock } = agenda;
  const recent = (input: object) =>
    statementOf((reads) => createListRecentAgendaHits({ reads, clock })({ limit: 3, ...input }));
  const upcoming = (input: object) =>
    statementOf((reads) =>
      createListUpcomingAgendaHits({ reads, clock })({ topicSlug: 'topic_1', count: false, ...input }),
    );
  return {
    recent: await recent({}),
    'recent but one': await recent({ excludeTopicSlug: 'topic_1' }),
    'recent of one': await recent({ topicSlug: 'topic_1', jurisdictionSlug: 'dallas' }),
    first: await upcoming({}),
    'after a cursor': await upcoming({ cursor: cursor() }),
    'page 1': await upcoming({ page: 1 }),
    'page 50': await upcoming({ page: 50 }),
    next: await statementOf((reads) => createReadNextHits({ reads, clock })(2)),
    detail: await statementOf((reads) => createGetAgendaHit({ reads, clock })(agendaId('agenda_hits', 'x'))),
    cadence: await statementOf((reads) =>
      createGetPublicBodyCadence({ reads, clock, pairs: COVERED })({ slug: 'dallas', bodySlug: 'city-council' }),
    ),
  };
}

const run = ({ name, text, values }: Statement): Promise<unknown> =>
  session.query({ text, values: values as unknown[], ...(name === undefined ? {} : { name }) });

beforeAll(async () => {
  agenda = await openTestAgenda();
  tables = AGENDA.at(agenda.generation);
  session = new Client(clientConfig({ dsn: agenda.server.url, purpose: 'plans', inOrder: true }));
  await session.connect();
  folding = new Client(clientConfig({ dsn: agenda.server.url, purpose: 'plans', lookups: true }));
  await folding.connect();
  // Simulates a process that started on an empty database: its plans are older than the rows.
  for (let times = 0; times < 8; times++)
    for (const statement of Object.values(await statements())) await run(statement);

  const { events, fold } = agenda;
  await fold([
    ...COVERED.flatMap(({ jurisdictionSlug, slug }) => [
      events.jurisdiction(jurisdictionSlug),
      events.body(jurisdictionSlug, { slug }),
      events.source(jurisdictionSlug),
    ]),
    ...Array.from({ length: TOPICS }, (_, n) => events.topic(`topic_${n}`)),
  ]);
  const ids = (values: readonly string[]) => `'{${values.join(',')}}'::uuid[]`;
  const bodies = ids(COVERED.map(({ jurisdictionSlug }) => agendaId('public_bodies', jurisdictionSlug)));
  const topics = ids(Array.from({ length: TOPICS }, (_, n) => agendaId('topics', `topic_${n}`)));
  const uuid = (number: string, kind: number) =>
    `('00000000-0000-4000-${8000 + kind}-' || lpad((${number})::text, 12, '0'))::uuid`;
  const startsAt = (number: string) =>
    `${TEST_TIME} + ((${number}) % ${MEETINGS} - ${MEETINGS / 2})::bigint * ${HOUR_MS}`;
  await session.query(
    `insert into ${tables.meetings} (meeting_id, body_id, source_id, starts_at, upcoming_until, timezone, on_calendar, lead)
     select ${uuid('n', 1)}, (${bodies})[1 + n % 8], '${agendaId('sources', 'dallas')}', ${startsAt('n')}, ${startsAt('n')}, 'UTC', true, '"meetingAt":"x"'
     from generate_series(1, ${MEETINGS}) n`,
  );
  await session.query(
    `insert into ${tables.hits} (hit_id, item_id, topic_id, classified_at, own, meeting_id, body_id, starts_at, upcoming_until, context, listed)
     select ${uuid('n', 2)}, ${uuid('n / 2', 3)}, (${topics})[1 + n % ${TOPICS}], ${TEST_TIME} - n, repeat('x', 100), ${uuid(`n % ${MEETINGS}`, 1)},
       case when n % 2 = 0 then (${bodies})[1 + n / 2 % 8] else ${uuid('n % 60', 4)} end, ${startsAt('n')}, ${startsAt('n')}, repeat('y', 100), n % 2 = 0
     from generate_series(1, ${HITS}) n`,
  );
});

afterAll(async () => {
  await session?.end();
  await folding?.end();
  await agenda?.close();
});

/** The reads of a table: the indexes, or "all" for the whole table, and the number of rows. */
async function scans(statement: Statement, mode: string, table: keyof typeof tables, on = session) {
  const { used, touched } = scansOf(await explained(on, statement, mode), tables[table]);
  const short = tables[table].replace('civic.', '');
  return { used: used.map((index) => index.replace(`${short}_`, '')).toSorted(), touched };
}

describe.each(['auto', 'force_generic_plan', 'force_custom_plan'])(
  `with ${HITS} hits and plan_cache_mode %s`,
  (mode) => {
    test.each(['kept from when the tables were empty', 'with fresh statistics'])(
      'lists use their indexes, plans %s',
      async (when) => {
        if (when === 'with fresh statistics')
          await session.query(
            `analyze ${tables.hits}, ${tables.meetings}, ${tables.coveredBodies}, ${tables.coveredTopics}`,
          );
        const all = await statements();
        const read = (what: string, table: keyof typeof tables = 'hits') => scans(all[what]!, mode, table);
        const page = 11;
        // Hits of a topic whose meetings began within the longest day: without a time they might be upcoming. Two an
        // hour.
        const ofOneDay = 2 * (LONGEST_DAY_MS / HOUR_MS);
        for (const [what, most] of [
          ['first', ofOneDay + page],
          ['after a cursor', page],
        ] as const) {
          const { used, touched } = await read(what);
          expect([what, used]).toEqual([what, ['upcoming']]);
          expect(touched).toBeLessThanOrEqual(most);
        }
        for (const [what, number] of [
          ['page 1', 1],
          ['page 50', 50],
        ] as const) {
          const { used, touched } = await read(what);
          expect([what, used]).toEqual([what, ['upcoming']]);
          // Half of the listed hits of one of fifteen topics are upcoming, and all of them are counted.
          expect(touched).toBeLessThan(HITS / 4 / TOPICS + number * page + 2 * ofOneDay);
        }
        for (const [what, lists] of [
          ['recent', 8 * TOPICS],
          ['recent but one', 8 * (TOPICS - 1)],
          ['recent of one', 1],
        ] as const) {
          const { used, touched } = await read(what);
          expect([what, used]).toEqual([what, ['pkey', 'recent']]);
          expect(touched).toBeLessThanOrEqual(3 * lists + 3);
        }
        const next = await read('next');
        expect(next.used).toEqual(['upcoming']);
        expect(next.touched).toBeLessThanOrEqual((2 + ofOneDay) * TOPICS);
        expect((await read('detail')).used).toEqual(['pkey']);
        const { used, touched } = await read('cadence', 'meetings');
        expect(used).toEqual(['cadence']);
        // Five meetings of a body begin within the longest day.
        expect(touched).toBeLessThanOrEqual(2 + 5);
      },
    );

    test.each(['item_id', 'meeting_id'] as const)(
      'a fold finds the hits of 500 changed records by %s',
      async (column) => {
        const { rows } = await session.query<Record<string, string>>(
          `select distinct ${column} as id from ${tables.hits} limit 500`,
        );
        const statement = resolveHits(
          agenda.generation,
          column,
          rows.map(({ id }) => id!),
        );
        const { used } = await scans(statement, mode, 'hits', folding);
        expect(used).toEqual([column === 'item_id' ? 'by_item' : 'by_meeting', 'pkey']);
      },
    );
  },
);
