import * as fc from 'fast-check';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { BadArchive, BlockChain } from '../../src/cli/backup/archive-format.ts';
import { readArchive } from '../../src/cli/backup/read-archive.ts';
import { SeenKeys } from '../../src/cli/backup/verify-archive.ts';
import { lineOf } from '../../src/cli/log-copy/copy-events.ts';
import { archiveOf, HEADER, logOf, plainLog, rowsOf, sealedAnew, verified, withFileSeal } from '../support/archives.ts';
import { testRuns } from '../support/test-runs.ts';

const EVENTS = 2_600;
const FEW = 60;
const payments = [{ key: 'a', text: '{"payment_id":"a","amount":12345678901234567890123456789}' }];
let archive: Buffer;
/** A backup of few events, for tests that read it hundreds of times. */
let small: Buffer;
let lines: string[];

beforeAll(async () => {
  archive = await archiveOf(logOf(plainLog(EVENTS)), rowsOf(payments));
  small = await archiveOf(logOf(plainLog(FEW)), rowsOf(payments));
  lines = gunzipSync(archive).toString().trimEnd().split('\n');
});

async function reasonOf(bytes: Buffer, piece?: number): Promise<string> {
  const outcome = await verified(bytes, piece).catch((error: unknown) => error);
  if (!(outcome instanceof BadArchive)) throw new Error(`not found: ${JSON.stringify(outcome)}`);
  return outcome.message;
}
/** The lines other than seals; a test changes them and seals them again. */
const content = () => lines.filter((line) => !line.startsWith('{"block":') && !line.startsWith('{"file":'));
function changed(at: number, change: (line: string) => string | null): Buffer {
  const original = content();
  const line = change(original.at(at)!);
  original.splice(at < 0 ? original.length + at : at, 1, ...(line === null ? [] : [line]));
  return sealedAnew(original);
}

test('a backup is verified in pieces of any size, contains every event as exact text, and zcat reads it', async () => {
  for (const piece of [1, 7]) expect(await verified(small, piece)).toMatchObject({ end: { events: FEW, payments: 1 } });
  expect(await verified(archive, 100_000)).toMatchObject({ end: { events: EVENTS, payments: 1 } });
  const differences: string[] = [];
  for await (const item of readArchive(Readable.from([archive])))
    if (item.kind === 'event') differences.push(lineOf({ ...item.event }));
  expect(differences).toEqual(plainLog(EVENTS).map(lineOf));
  expect(JSON.parse(lines[0]!)).toEqual(HEADER);
  expect(lines.at(-1)).toMatch(/^\{"file":\{"bytes":"\d{20}","sha256":"[0-9a-f]{64}"\}\}$/);
  expect(lines.filter((line) => line.startsWith('{"block":')).length).toBeGreaterThan(2);
});

test.each([9e15, 253_402_300_800_000, -1])('an event with the time %d is named, with valid seals too', async (time) => {
  const reason = await reasonOf(changed(3, (line) => line.replace(/,\d+\]$/, `,${time}]`)));
  expect(reason).toMatch(
    /^event 2 \(RecordPublished, revision \d of topics-[\da-f-]+\): its time is before 1970 or after 9999$/,
  );
});

test('any flipped byte is detected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(small.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
      const damaged = Buffer.from(small);
      damaged[at]! ^= bits;
      await reasonOf(damaged);
    }),
    { numRuns: testRuns(50) },
  );
  // Every byte at both ends, where a decompressor ignores some bytes.
  for (const at of [...Array(24).keys(), ...Array.from({ length: 140 }, (_, back) => small.length - 1 - back)]) {
    const damaged = Buffer.from(small);
    damaged[at]! ^= 1;
    await reasonOf(damaged);
  }
});

test('a file that is truncated, has data after its end, or contains a backup twice, is detected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(small.length - 1), async (length) => void (await reasonOf(small.subarray(0, length)))),
    { numRuns: testRuns(15) },
  );
  for (const more of [Buffer.from('x'), Buffer.alloc(500), gzipSync('{}\n'), small])
    await reasonOf(Buffer.concat([small, more]));
});

describe('an archive with valid seals is refused for', () => {
  test.each<readonly [string, () => Buffer, RegExp]>([
    ['an event left out', () => changed(10, () => null), /follows revision|end of the file states/],
    [
      'the newest event left out',
      () => changed(-2, () => null),
      /there are 2599 events, but the end of the file states 2600/,
    ],
    ['a row left out', () => changed(1, () => null), /there are 0 payments/],
    ['an event twice', () => changed(10, (line) => `${line}\n${line}`), /follows revision/],
    [
      'an id twice',
      () => changed(12, (line) => line.replace(/(?<=^\["[^"]+",\d+,)"[^"]+"/, content()[10]!.split(',')[2]!)),
      /earlier event has its id/,
    ],
    ['no opening of a feed', () => changed(2, () => null), /no log of this service begins so/],
    [
      'an unknown event',
      () => changed(10, (line) => line.replace('RecordPublished', 'RecordPainted')),
      /cannot read it: RecordPainted/,
    ],
    [
      'an unknown category',
      () => changed(10, (line) => line.replace('topics-', 'painters-').replace(',1,', ',0,')),
      /painters is no category/,
    ],
    [
      'a record under another id',
      () => changed(11, (line) => line.replace(/\\"id\\":\\".{4}/, '\\"id\\":\\"ffff')),
      /the record.s id is/,
    ],
    [
      'data that is no JSON',
      () => changed(10, (line) => line.replace('{\\"createdAt', '{createdAt')),
      /cannot read it/,
    ],
    [
      'a row after the events',
      () => changed(-1, (line) => `{"payments":{}}\n${line}`),
      /has a kind that is not allowed here/,
    ],
    ['something after the end', () => changed(-1, (line) => `${line}\n${content()[10]}`), /comes after the end/],
    ['no end', () => changed(-1, () => null), /has no end/],
    [
      'another format',
      () => changed(0, (line) => line.replace('"civicBackup":1', '"civicBackup":2')),
      /format 2, and this version reads format 1/,
    ],
    ['another program', () => changed(0, () => '{"backup":1}'), /no backup of this program/],
  ])('%s', async (_, make, reason) => {
    expect(await reasonOf(make())).toMatch(reason);
  });

  test('blocks in another order', async () => {
    const ends = lines.flatMap((line, at) => (line.startsWith('{"block":') ? [at + 1] : []));
    const [first, second, third] = [lines.slice(0, ends[0]), lines.slice(ends[0], ends[1]), lines.slice(ends[1], -1)];
    const read = async (all: readonly string[]): Promise<void> => {
      const bytes = withFileSeal(gzipSync(`${all.join('\n')}\n`));
      for await (const item of readArchive(Readable.from([bytes])))
        expect(item.kind).toMatch(/^(header|row|event|end)$/);
    };
    await read([...first, ...second, ...third]);
    await expect(read([...first, ...third, ...second])).rejects.toThrow(/is not as it was written/);
  });
});

test('input that inflates to gigabytes is refused at the longest allowed line, mostly unread', async () => {
  const bomb = gzipSync(Buffer.alloc(256 * 1_048_576, 0x20));
  for (const file of [bomb, Buffer.concat([gzipSync(`${content()[0]}\n`), bomb])]) {
    let pulled = 0;
    const pieces = async function* () {
      for (; pulled < file.length; pulled += 1_024) yield file.subarray(pulled, pulled + 1_024);
    };
    const reading = async (): Promise<void> => {
      for await (const item of readArchive(pieces())) expect(item.kind).toBe('header');
    };
    await expect(reading()).rejects.toThrow(/a line is longer than any that a backup has/);
    expect(pulled).toBeLessThan(file.length / 2);
  }
});

describe('an endless file is refused at once:', () => {
  const LIMIT_BYTES = 3 * 1_048_576;
  /** Reads the part after the header of a backup; throws after reading far more than a reader needs to refuse it. */
  const reasonOfEndless = async (more: () => Iterable<Buffer>, signal: AbortSignal): Promise<string> => {
    let pulled = 0;
    const pieces = async function* () {
      yield gzipSync(`${content()[0]}\n`);
      for (const piece of more()) {
        signal.throwIfAborted();
        pulled += piece.length;
        if (pulled > LIMIT_BYTES) throw new Error(`it was read for ${LIMIT_BYTES} bytes`);
        yield piece;
      }
    };
    try {
      for await (const item of readArchive(pieces())) expect(item.kind).toMatch(/^(header|row)$/);
    } catch (error) {
      if (error instanceof BadArchive) return error.message;
      throw error;
    }
    throw new Error('it was read to an end');
  };
  /** The same compressed piece repeated, each as a separate gzip member. */
  const members = (text: string) =>
    function* () {
      const member = gzipSync(text);
      const piece = Buffer.concat(Array.from({ length: Math.ceil(16_384 / member.length) }, () => member));
      for (;;) yield piece;
    };

  test.for<readonly [string, string, RegExp]>([
    ['empty lines', '\n'.repeat(100_000), /^line 2 is no JSON$/],
    ['lines of white space', ' \t\r\n'.repeat(100_000), /^line 2 is no JSON$/],
    ['one line', 'x'.repeat(100_000), /^a line is longer than any that a backup has$/],
    ['members of gzip without content', '', /^the file is compressed data that contains no text$/],
    ['rows without a seal', '{"inlet":{}}\n'.repeat(10_000), /^line 1001 is one more than a block has$/],
  ])('%s', async ([, text, reason], { signal }) => {
    expect(await reasonOfEndless(members(text), signal)).toMatch(reason);
  });

  test('blocks without lines, with valid seals', async ({ signal }) => {
    const blocks = function* () {
      const chain = new BlockChain();
      chain.add(content()[0]!);
      for (;;) yield gzipSync(`${chain.seal()}\n`);
    };
    expect(await reasonOfEndless(blocks, signal)).toBe('the block that ends with line 3 is empty');
  });
});

test('a backup during which a text is erased is deleted, because it may contain the text', async () => {
  const events = plainLog(FEW);
  const log = logOf(events);
  let reads = 0;
  const erasing = {
    ...log,
    readLast: async () => (reads++ === 0 ? new Map() : new Map([['erasures-civic', events[5]!]])),
  };
  await expect(archiveOf(erasing)).rejects.toThrow(/a text was erased during the backup/);
  const before = { ...log, readLast: async () => new Map([['erasures-civic', events[5]!]]) };
  expect((await verified(await archiveOf(before))).end.events).toBe(FEW);
});

test.each(['', 'hello', '\u001f\u008b', gzipSync('hello').toString('latin1')])(
  'input that is not a backup is reported as such: %j',
  async (text) => {
    expect(await reasonOf(Buffer.from(text, 'latin1'))).toMatch(/no backup|cut off|damaged/);
  },
);

test('each of many texts maps to the number that was assigned last', () => {
  const keys = new SeenKeys();
  let duplicates = 0;
  for (let nth = 0; nth < 120_000; nth += 1) if (keys.put(`text ${nth}`, nth) !== -1) duplicates += 1;
  expect(duplicates).toBe(0);
  for (let nth = 0; nth < 120_000; nth += 997) expect(keys.put(`text ${nth}`, 7)).toBe(nth);
  expect(keys.size).toBe(120_000);
});
