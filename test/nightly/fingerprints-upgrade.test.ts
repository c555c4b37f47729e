import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { decodeFeedCursor } from '../../domain/cursor.ts';
import { openFreshCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { expectedFeed } from '../support/history-checker.ts';

let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
});
afterAll(() => civic?.close());

interface Page {
  readonly data: { readonly items: readonly { readonly cursor: string }[] };
  readonly meta: { readonly nextCursor: string };
}

const page = async (cursor?: string): Promise<Page> =>
  JSON.parse(
    (await civic.changes({ ...(cursor === undefined ? {} : { cursor }), limit: 500, maxResponseBytes: 10_000_000 }))
      .text,
  ) as Page;
function partsOf(text: string) {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string') throw new Error(cursor);
  return cursor;
}
/** The state in which the migration leaves a generation of the version before. */
async function makeOlder(): Promise<void> {
  const { history, state } = RECORD_HISTORY.at(await civic.live(recordHistory.name));
  await civic.rows(`update civic.generations set version = 2 where projection = '${recordHistory.name}'`);
  await civic.rows(
    `alter table ${state} alter column fingerprint drop not null, alter column fingerprint drop default`,
  );
  await civic.rows(`update ${state} set fingerprint = null`);
  await civic.rows(`update ${history} set fingerprint = null`);
}

test('a generation without fingerprints is read until a new one replaces it, and its cursors continue', async () => {
  const projector = civic.startProjector();
  await civic.writer.write(randomChanges(randomFrom(testSeed()), 40, 6), {});
  await civic.caughtUp();
  await projector.stop();
  await makeOlder();
  const older = await page();
  const olderCursors = [...older.data.items.map(({ cursor }) => cursor), older.meta.nextCursor];
  expect(new Set(olderCursors.map((text) => partsOf(text).fingerprint))).toEqual(new Set([null]));
  civic.startProjector();
  await untilTrue('the new build is live', async () => partsOf((await page()).meta.nextCursor).fingerprint !== null);
  const newer = await page();
  const feed = await expectedFeed(civic.log);
  expect(newer.data.items.map(({ cursor }) => partsOf(cursor).fingerprint)).toEqual(
    feed.map(({ fingerprint }) => fingerprint),
  );
  for (const [index, { cursor }] of older.data.items.entries())
    expect((await page(cursor)).data.items).toHaveLength(feed.length - 1 - index);
});
