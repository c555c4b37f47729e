import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eraseContent } from '../../commands/erasure/erase-content.ts';
import { renewFeed } from '../../commands/feed/feed-identity.ts';
import type { ChangesInput, JsonPage } from '../../contract/inputs.ts';
import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from '../../domain/cursor.ts';
import { HOUR_MS } from '../../domain/durations.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import type { PageOrigin } from '../../queries/feed/cached-pages.ts';
import { createReadCivicChanges } from '../../queries/feed/read-civic-changes.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { randomChanges, randomFrom, recordId } from '../support/civic-records.ts';
import { rebuildsOf } from '../support/rebuilds.ts';
import { testSeed } from '../support/test-seed.ts';

const NAME = 'Zebulona';
const MAX = { maxResponseBytes: 1_000_000 };
const RETENTION_MS = 24 * HOUR_MS;
interface Page {
  readonly data: { readonly items: readonly { readonly cursor: string }[] };
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

let civic: TestCivic;
let origins: PageOrigin[];
/** Caches pages; `fresh` caches nothing. */
let read: (input: ChangesInput) => Promise<JsonPage>;

beforeAll(async () => {
  civic = await openFreshCivic({ retentionMs: RETENTION_MS });
  civic.startProjector([recordHistory, snapshots]);
  await civic.caughtUp();
});
afterAll(() => civic?.close());
beforeEach(() => {
  origins = [];
  read = createReadCivicChanges({ ...civic, onPage: (from) => origins.push(from) });
});

const write = async (count: number): Promise<void> => {
  civic.clock.advance(1);
  const documents = Array.from({ length: count }, (_, number) => ({
    op: 'upsert' as const,
    resource: 'documents' as const,
    id: recordId('documents', 1_000 + number),
    content: { kind: 'other', title: `${NAME} ${civic.clock.now()} ${number}`, url: 'https://example.org/d' },
  }));
  await civic.writer.write(documents, {});
  await folded();
};
const folded = () => civic.caughtUp();
const erase = async (): Promise<void> => {
  await eraseContent(
    { ...civic, deadlineMs: 60_000 },
    {
      streams: [{ stream: `documents-${recordId('documents', 1_000)}` }],
      erasing: { path: null, literal: NAME, replacement: 'removed' },
      reason: 'personal_data',
      by: 'a test',
      dryRun: false,
    },
  );
  await folded();
};
const renew = async (): Promise<void> => {
  await renewFeed(civic, 'a test');
  await folded();
};
const rebuild = async (): Promise<void> => {
  const of = rebuildsOf(civic);
  await of.serves((await of.rebuild(recordHistory)).generation);
};
async function cursorAt(position: number): Promise<string> {
  const { feedId } = decodeFeedCursor((await civic.atHead()).cursor) as FeedCursor;
  return encodeFeedCursor({ feedId, position, fingerprint: null, binding: 'nothing' });
}
/** The answer, or the code of the refusal. */
const contentOf = async (request: Promise<JsonPage>) =>
  request.then(({ text, items, unreadSince }) => ({ text, items, unreadSince }), String);
const fresh = (input: ChangesInput) => createReadCivicChanges(civic)(input);
const positionOf = (cursor: string): number => (decodeFeedCursor(cursor) as FeedCursor).position;
/** The position after the first retained change. */
async function begin() {
  const { data } = JSON.parse((await fresh({ ...MAX, limit: 1 })).text) as Page;
  return { cursor: await cursorAt(positionOf(data.items[0]!.cursor)), ...MAX };
}

async function bothEqual(input: ChangesInput): Promise<PageOrigin | undefined> {
  const before = origins.length;
  expect(await contentOf(read(input))).toEqual(await contentOf(fresh(input)));
  return origins[before];
}

describe('a page that was read before', () => {
  test('is answered from memory, in each form and for each filter', async () => {
    await write(20);
    const start = await begin();
    for (const form of ['json', 'ndjson'] as const) {
      for (const filter of [{}, { resource: 'documents' as const }]) {
        const input = { ...start, form, ...filter, limit: 5 };
        expect([await bothEqual(input), await bothEqual(input)]).toEqual(['database', 'memory']);
        civic.clock.advance(1_000);
        expect(await bothEqual(input)).toBe('memory');
      }
    }
  });

  test('is read again at the head of the feed', async () => {
    const input = { ...(await begin()), limit: 1_000 };
    expect([await bothEqual(input), await bothEqual(input)]).toEqual(['database', 'database']);
    await write(1);
    expect(await bothEqual(input)).toBe('database');
  });

  test('never has text that was erased since', async () => {
    const { position } = await civic.atHead();
    await write(3);
    const input = { ...MAX, limit: 1, cursor: await cursorAt(position) };
    expect((await read(input)).text).toContain(NAME);
    expect(await bothEqual(input)).toBe('memory');
    await erase();
    expect([await bothEqual(input), await bothEqual(input)]).toEqual(['database', 'memory']);
    expect((await read(input)).text).not.toContain(NAME);
  });

  test('is read from the generation that is live', async () => {
    const input = { ...(await begin()), limit: 4 };
    await bothEqual(input);
    await rebuild();
    expect([await bothEqual(input), await bothEqual(input)]).toEqual(['database', 'memory']);
  });

  test('is refused where it is larger than the caller may have, and once its cursor expires', async () => {
    const input = { ...(await begin()), limit: 4 };
    await bothEqual(input);
    expect(await contentOf(read({ ...input, maxResponseBytes: 100 }))).toContain('the page is over 100 bytes');
    expect(await bothEqual({ ...input, maxResponseBytes: 100 })).toBeUndefined();
    expect(await bothEqual(input)).toBe('memory');
    civic.clock.advance(RETENTION_MS + HOUR_MS);
    expect(await contentOf(read(input))).toContain('older than the replay retention');
    await write(1);
    await civic.prune();
    expect(await contentOf(read(input))).toBe(await contentOf(fresh(input)));
  });

  test('has no cursor of a feed that was renewed', async () => {
    await write(5);
    const { position } = await civic.atHead();
    await write(5);
    const at = async () => ({ ...MAX, limit: 3, cursor: await cursorAt(position) });
    await bothEqual(await at());
    await renew();
    expect(await bothEqual(await at())).toBe('database');
  });
});

test('every answer is that of a reader without a cache, whatever happens between', async () => {
  const random = randomFrom(testSeed());
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  await write(10);
  const events = [
    () => write(1 + Math.floor(random() * 5)),
    async () => {
      await civic.writer.write(randomChanges(random, 5), {});
      await folded();
    },
    erase,
    async () => civic.clock.advance(Math.floor(random() * 2 * HOUR_MS)),
    async () => void (await civic.prune()),
    rebuild,
    renew,
  ];
  for (let turn = 0; turn < 40; turn += 1) {
    await pick(events)();
    const { position } = await civic.atHead();
    for (let reads = 0; reads < 10; reads += 1) {
      const cursor = await cursorAt(Math.max(0, position - Math.floor(random() * 12)));
      await bothEqual({
        ...MAX,
        cursor,
        limit: pick([1, 3, 100]),
        form: pick(['json', 'ndjson']),
        ...pick([{}, { resource: 'documents' }]),
      });
    }
  }
  expect(new Set(origins)).toEqual(new Set(['database', 'memory']));
});

// The last ones: the read model differs from the log after them.
describe('a page that was read before a failover that lost history', () => {
  const ROW = 'position, resource, record_id, version, removed, changed_at, superseded_at, digest, envelope, body';
  const tables = async () => RECORD_HISTORY.at(await civic.live(recordHistory.name));
  /** Sets the feed back to a position whose row gives its fingerprint. */
  const setBack = async (position: number): Promise<void> => {
    const { history, state } = await tables();
    await civic.rows(`delete from ${history} where position > $1`, [position]);
    await civic.rows(
      `update ${state} set head = $1, fingerprint = (select fingerprint from ${history} where position = $1)`,
      [position],
    );
  };
  /** Appends a change of another history, made later. */
  const goOn = async (position: number): Promise<void> => {
    const { history, state } = await tables();
    const other =
      'position + 1, resource, gen_random_uuid(), version, removed, changed_at + 60000, superseded_at, digest, envelope, body';
    const another = 'substring(sha256(random()::text::bytea) from 1 for 8)';
    await civic.rows(
      `insert into ${history} (${ROW}, fingerprint) select ${other}, ${another} from ${history} where position = $1`,
      [position],
    );
    await civic.rows(
      `update ${state} set head = $1, fingerprint = (select fingerprint from ${history} where position = $1)`,
      [position + 1],
    );
  };

  test('is read again if the next change is missing or different', async () => {
    const { position } = await civic.atHead();
    await write(4);
    const input = { ...MAX, limit: 2, cursor: await cursorAt(position) };
    expect([await bothEqual(input), await bothEqual(input)]).toEqual(['database', 'memory']);
    await setBack(position + 2);
    expect(await bothEqual(input)).toBe('database');
    await goOn(position + 2);
    expect(await bothEqual(input)).toBe('database');
  });

  test('is read again where its own changes are other ones', async () => {
    const { position } = await civic.atHead();
    const input = { ...MAX, limit: 2, cursor: await cursorAt(position - 3) };
    expect([await bothEqual(input), await bothEqual(input)]).toEqual(['database', 'memory']);
    await setBack(position - 2);
    await goOn(position - 2);
    expect(await bothEqual(input)).toBe('database');
  });

  test('is read again where another erasure has the number of a lost one', async () => {
    const { history } = await tables();
    const { position } = await civic.atHead();
    const input = { ...MAX, limit: 2, cursor: await cursorAt(position - 3) };
    const erased = async (at: number, title: string): Promise<void> => {
      await civic.rows(`update ${history} set body = $2::text, digest = sha256($2::text::bytea) where position = $1`, [
        at,
        `,"data":"${title}"`,
      ]);
    };
    const numbered = `insert into civic.erased_versions (generation, position, resource, erasure) values ($1, $2, 'documents', 1000)`;
    await erased(position - 1, 'erased');
    await civic.rows(numbered, [await civic.live(recordHistory.name), position - 1]);
    expect([await bothEqual(input), await bothEqual(input)]).toEqual(['database', 'memory']);
    await erased(position - 1, 'not erased');
    await erased(position - 2, 'erased');
    const moved = 'update civic.erased_versions set position = $1 where position = $2';
    await civic.rows(moved, [position - 2, position - 1]);
    expect(await bothEqual(input)).toBe('database');
  });
});
