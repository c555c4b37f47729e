import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainCursor } from '../../queries/feed/explain-cursor.ts';
import { recordVersions } from '../../queries/feed/export-records.ts';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import { encodeCoverageCursor } from '../../domain/coverage.ts';
import { encodeFeedCursor, encodeSnapshotPageCursor, encodeUpcomingCursor } from '../../domain/cursor.ts';
import { DAY_MS, openFreshCivic, RETENTION_MS, type TestCivic } from '../support/civic.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';

let civic: TestCivic;
const random = randomFrom(testSeed());
const OTHER = '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11';

beforeAll(async () => {
  civic = await openFreshCivic({ leaseMs: 1000 });
  civic.startProjector();
  await change();
  civic.clock.advance(RETENTION_MS + DAY_MS);
  await change();
});
afterAll(() => civic?.close());

async function change() {
  await civic.writer.write(randomChanges(random, 30, 20), {});
  await civic.caughtUp();
}
const explain = (text: string) =>
  explainCursor({ reads: civic.reads, clock: civic.clock, retentionMs: RETENTION_MS }, text);

describe('a feed cursor', () => {
  test('at the head is valid with a distance of zero', async () => {
    const { feedId, position } = await readFeedHead(civic.reads);
    const cursor = encodeFeedCursor({ feedId: feedId!, position, fingerprint: null, binding: 'topics' });
    expect(await explain(cursor)).toMatchObject({
      kind: 'feed',
      position,
      behind: 0,
      readWith: 'resource=topics',
      nextChangeAt: null,
    });
  });

  test('older than the first retention is reported as expired, with the next step', async () => {
    const { feedId, position } = await readFeedHead(civic.reads);
    const explained = await explain(
      encodeFeedCursor({ feedId: feedId!, position: 1, fingerprint: null, binding: 'all' }),
    );
    expect(explained).toMatchObject({ kind: 'feed', position: 1, behind: position - 1 });
    expect(explained.verdict).toMatch(/older than the replay retention.*410.*snapshot/);
  });

  test('beyond the head or of another feed is reported as such', async () => {
    const { feedId, position } = await readFeedHead(civic.reads);
    expect(
      (
        await explain(
          encodeFeedCursor({ feedId: feedId!, position: position + 1, fingerprint: null, binding: 'nothing' }),
        )
      ).verdict,
    ).toMatch(/beyond the head/);
    expect(
      (await explain(encodeFeedCursor({ feedId: OTHER, position: 0, fingerprint: null, binding: 'nothing' }))).verdict,
    ).toMatch(/another feed/);
  });
});

test('cursors of the other kinds are shown with their filter', async () => {
  const { feedId } = await readFeedHead(civic.reads);
  const page = encodeSnapshotPageCursor({ feedId: feedId!, snapshotId: OTHER, resource: 'topics', position: 7 });
  expect(await explain(page)).toMatchObject({
    kind: 'snapshotPage',
    snapshotId: OTHER,
    resource: 'topics',
    position: 7,
  });
  const upcoming = encodeUpcomingCursor({ startsAt: 0, classifiedAt: 0, hitId: OTHER });
  expect(await explain(upcoming)).toMatchObject({ kind: 'upcoming', startsAt: '1970-01-01T00:00:00.000Z' });
  const binding = { jurisdictionSlug: null, county: 'dallas', family: null, includeInactive: false, limit: 20 };
  const coverage = encodeCoverageCursor({ catalogVersion: '2026-01-01.0123456789ab', binding, offset: 20 });
  expect(await explain(coverage)).toMatchObject({ kind: 'coverage', county: 'dallas', offset: 20 });
});

test.each(['', 'x', '!!', 'A'.repeat(600)])('%j is reported as no cursor', async (text) => {
  expect(await explain(text)).toMatchObject({ kind: 'none' });
});

test('the versions of a record are those of its stream, oldest first and without a gap', async () => {
  const rows = await civic.reads.rows<{ id: string; newest: number }>((generation) => ({
    text: `select record_id as id, max(version) as newest from civic.record_history_g${generation('record_history')} group by 1 order by 2 desc limit 1`,
    values: [],
  }));
  const { id, newest } = rows[0]!;
  const versions = [];
  for await (const version of recordVersions(civic.log, id)) versions.push(version);
  expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
});
