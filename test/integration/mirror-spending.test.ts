import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openMirrorStore } from '../../client/mirror/open-store.ts';
import type { NormalizedContent } from '../../domain/records/resources.ts';
import type { FeedService } from '../support/feed-service.ts';
import { askPostgres, mirrorPlaces } from '../support/mirror-places.ts';
import { cityFeed, cityItem, cityMeeting, mirroredId, write } from '../support/mirrored-records.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import { runMirror } from '../support/run-mirror.ts';
import { plainEnvironment } from '../support/service.ts';

type Item = NormalizedContent<'agenda_items'>;
type Amount = NonNullable<Item['amounts']>[number];
type Party = NonNullable<Item['parties']>[number];

const quotation = { field: 'title', offset: 0, sourceText: 'x' } as const;
const amount = (value: number, role: Amount['role'] = 'total', rest: Partial<Amount> = {}): Amount => ({
  value,
  currency: 'USD',
  role,
  unit: role === 'per_unit' ? 'each' : null,
  ...quotation,
  ...rest,
});
const party = (name: string, role: Party['role'] = 'vendor'): Party => ({ name, role, ...quotation });
/** An approved item with a vendor. */
const bought = (content: Partial<Item>): Partial<Item> => ({
  outcome: 'approved',
  parties: [party('Example Paving, LLC')],
  ...content,
});

/** Items that no row may come from. */
const NO_SPENDING: Readonly<Record<string, Partial<Item>>> = {
  'not decided': bought({ outcome: null, amounts: [amount(1)] }),
  denied: bought({ outcome: 'denied', amounts: [amount(2)] }),
  'no amount': bought({}),
  'no vendor': { outcome: 'approved', amounts: [amount(3)] },
  'only an applicant': { outcome: 'approved', amounts: [amount(4)], parties: [party('Jo Example', 'applicant')] },
  'two vendors': bought({ amounts: [amount(5)], parties: [party('One, LLC'), party('Two, LLC')] }),
  'two amounts': bought({ amounts: [amount(6), amount(7)] }),
  'two currencies': bought({ amounts: [amount(8), amount(8, 'total', { currency: 'EUR' })] }),
  revenue: bought({ amounts: [amount(9, 'revenue'), amount(9.5, 'total', { field: 'text' })] }),
  'a price for each': bought({ amounts: [amount(10, 'per_unit')] }),
};

/** Items with a row, and its vendor, amount and role. */
const SPENDING: Readonly<Record<string, readonly [Partial<Item>, string, number, string]>> = {
  limit: [bought({ amounts: [amount(1250.5, 'not_to_exceed')] }), 'Example Paving, LLC', 1250.5, 'not_to_exceed'],
  change: [bought({ amounts: [amount(900), amount(30, 'change')] }), 'Example Paving, LLC', 30, 'change'],
  sum: [bought({ amounts: [amount(60.1), amount(40), amount(100.1)] }), 'Example Paving, LLC', 100.1, 'total'],
  repeated: [
    bought({
      amounts: [amount(70), amount(70)],
      parties: [party('ACME, INC.'), party('Acme, Inc.'), party('Jo', 'owner')],
    }),
    'ACME, INC.',
    70,
    'total',
  ],
  'in the text': [
    bought({ amounts: [amount(5, 'per_unit'), amount(80, 'total', { field: 'text' })] }),
    'Example Paving, LLC',
    80,
    'total',
  ],
};

/** The evening of March 9, 2026 in Chicago, behind the beginning of summer time. */
const EVENING = '2026-03-10T02:30:00.000Z';

function spendingFeed(): FeedService {
  const service = cityFeed();
  write(service, 'meetings', 'evening', cityMeeting({ startsAt: EVENING }));
  const items = [
    ...Object.entries(NO_SPENDING),
    ...Object.entries(SPENDING).map(([name, [item]]) => [name, item] as const),
  ];
  for (const [name, item] of items) write(service, 'agenda_items', name, cityItem('evening', { title: name, ...item }));
  write(service, 'public_bodies', 'committee', {
    jurisdictionId: mirroredId('jurisdictions', 'city'),
    slug: 'committee',
    name: 'Committee',
    bodyType: 'committee',
    actingBodyRole: 'recommending',
    timezone: 'America/Chicago',
    active: true,
  });
  const file = (name: string, startsAt: string, value: number, body = 'council') => {
    const publicBodyId = mirroredId('public_bodies', body);
    write(service, 'meetings', name, cityMeeting({ startsAt, publicBodyId }));
    const content = bought({ title: name, matterFile: '26-1', amounts: [amount(value)] });
    write(service, 'agenda_items', name, cityItem(name, content));
  };
  file('first vote', '2026-01-06T05:59:00.000Z', 500);
  file('last vote', '2026-01-07T06:00:00.000Z', 600);
  file('recommended', '2026-02-10T15:00:00.000Z', 700, 'committee');
  return service;
}

type Line = readonly [title: string, ...unknown[]];
const byTitle = ([one]: Line, [other]: Line): number => (one < other ? -1 : 1);
const EXPECTED = [
  ...Object.entries(SPENDING).map(
    ([title, [, vendor, value, role]]) => [title, vendor, value, role, '2026-03-09'] as const,
  ),
  ['last vote', 'Example Paving, LLC', 600, 'total', '2026-01-07'] as const,
].toSorted(byTitle);

const QUERY = `select title, vendor, amount, role, cast(day as text) as day, body from spending`;
type Row = Readonly<Record<'title' | 'vendor' | 'role' | 'day' | 'body', string> & { amount: number | string }>;
const rowsOf = (rows: readonly Row[]) => {
  expect(new Set(rows.map(({ body }) => body))).toEqual(new Set(['City Council']));
  return rows
    .map(({ title, vendor, amount: value, role, day }) => [title, vendor, Number(value), role, day] as const)
    .toSorted(byTitle);
};

const places = mirrorPlaces();
const fileOf = () => join(places.folder, 'mirror.db');

async function synchronised(service: FeedService, to: string) {
  const store = await openMirrorStore(to);
  try {
    return await runMirror(service, store);
  } finally {
    await store.close();
  }
}
function inFile(sql: string): readonly unknown[] {
  const database = new DatabaseSync(fileOf());
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
async function postgres(): Promise<string> {
  await places.administer('create schema spending_mirror');
  return places.inSchema('spending_mirror');
}

const FORMER_SQLITE = ['drop view spending', 'alter table agenda_items drop column amounts'];
const forget = "update civic_replica set schema = 'of an earlier version'";

describe('the view of spending has one row for each approved file with one vendor and one amount', () => {
  test('in SQLite, also in a mirror of a version without facts', async () => {
    const service = spendingFeed();
    await synchronised(service, `sqlite:${fileOf()}`);
    expect(rowsOf(inFile(QUERY) as Row[])).toEqual(EXPECTED);
    for (const statement of [...FORMER_SQLITE, forget]) inFile(statement);
    expect(await synchronised(service, `sqlite:${fileOf()}`)).toMatchObject({ snapshots: 0, changes: 0 });
    expect(rowsOf(inFile(QUERY) as Row[])).toEqual(EXPECTED);
  });

  test('in PostgreSQL, also in a mirror of a version without facts', async () => {
    const service = spendingFeed();
    const to = await postgres();
    await synchronised(service, to);
    expect(rowsOf(await askPostgres<Row>(to, QUERY))).toEqual(EXPECTED);
    await askPostgres(to, [...FORMER_SQLITE, forget].join('; '));
    expect(await synchronised(service, to)).toMatchObject({ snapshots: 0, changes: 0 });
    expect(rowsOf(await askPostgres<Row>(to, QUERY))).toEqual(EXPECTED);
  });

  test.skipIf(spawnSync('python3', ['-c', 'import sqlite3']).status !== 0)(
    'in a mirror of the client for Python, also in one without views (needs python3)',
    () => {
      const program = `import json, sys
from civic_records import Mirror
class Feed:
    "Has no snapshot, and the changes of the input."
    pages = [{"data": {"items": json.load(sys.stdin)}, "meta": {"nextCursor": "1"}}]
    def take_snapshot(self): return {"boundaryCursor": "0", "counts": {}}
    def change_pages(self, cursor, resource): return [self.pages.pop()] if self.pages else []
for former in (True, False):
    mirror = Mirror(sys.argv[1])
    mirror.synchronise(Feed())
    if former: [mirror._database.execute(f"drop view {name}") for name in ("spending", "agenda_items")]
    mirror.close()`;
      const input = JSON.stringify(
        spendingFeed().changes.map(({ resource, recordId, data }) =>
          data === null
            ? { resource, recordId, operation: 'remove' }
            : { resource, recordId, operation: 'upsert', data },
        ),
      );
      const env = { ...plainEnvironment(), PYTHONPATH: join(CHECKOUT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
      const { status, stderr } = spawnSync('python3', ['-c', program, fileOf()], { env, input, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(rowsOf(inFile(QUERY) as Row[])).toEqual(EXPECTED);
      const [item] = inFile(`select amounts, kind from agenda_items where title = 'limit'`) as {
        amounts: string;
        kind: null;
      }[];
      expect([JSON.parse(item!.amounts), item!.kind]).toEqual([SPENDING['limit']![0].amounts, null]);
    },
  );
});

test('the day in SQLite is that of PostgreSQL in each zone of the United States, and null elsewhere', async () => {
  const zones = [
    'America/New_York',
    'America/Chicago',
    'America/Denver',
    'America/Phoenix',
    'America/Los_Angeles',
    'America/Anchorage',
    'Pacific/Honolulu',
    'Europe/Berlin',
  ];
  const days = ['2026-01-01', '2026-03-08', '2026-03-09', '2026-07-04', '2026-10-31', '2026-11-01', '2026-11-02'];
  const hours = ['00:00', '04:30', '05:00', '06:30', '07:30', '08:30', '09:30', '10:30', '23:59'];
  const service = cityFeed();
  const times = zones.flatMap((timezone) =>
    days.flatMap((day) => hours.map((hour) => [timezone, `${day}T${hour}:00.000Z`])),
  );
  for (const [nth, [timezone, startsAt]] of times.entries()) {
    write(service, 'meetings', `${nth}`, cityMeeting({ startsAt: startsAt!, timezone: timezone! }));
    const content = bought({ title: `${timezone} ${startsAt}`, amounts: [amount(1)] });
    write(service, 'agenda_items', `${nth}`, cityItem(`${nth}`, content));
  }
  await places.administer('create schema days_mirror');
  const to = places.inSchema('days_mirror');
  await synchronised(service, to);
  await synchronised(service, `sqlite:${fileOf()}`);
  const query = 'select title, cast(day as text) as day from spending order by title';
  const dayOf = (rows: readonly Row[]) => rows.map(({ title, day }) => `${title} ${day}`);
  const isElsewhere = (line: string) => line.startsWith('Europe');
  const inPostgres = dayOf(await askPostgres<Row>(to, query));
  const inSqlite = dayOf(inFile(query) as Row[]);
  expect(inSqlite.filter((line) => !isElsewhere(line))).toEqual(inPostgres.filter((line) => !isElsewhere(line)));
  expect(inSqlite.filter(isElsewhere).every((line) => line.endsWith(' null'))).toBe(true);
  expect(inPostgres).toHaveLength(times.length);
});
