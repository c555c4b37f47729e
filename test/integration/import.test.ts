import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRecords } from '../../queries/feed/export-records.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import { importRecords } from '../../src/sources/ndjson/import-records.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { below, recordId, randomChanges, upsert } from '../support/civic-records.ts';
import { withSeed } from '../support/test-seed.ts';
import { expectedFeed, linesOf, stateAt } from '../support/history-checker.ts';

let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
  civic.startProjector();
  await civic.caughtUp();
});
afterAll(() => civic?.close());

/** Bytes in chunks of the given size; chunks end anywhere in lines and characters. */
async function* inPieces(bytes: Buffer, size: () => number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; ) {
    const piece = bytes.subarray(from, from + size());
    from += piece.length;
    yield await Promise.resolve(piece);
  }
}

async function importLines(lines: readonly (string | Buffer)[], size: () => number = () => 65_536, separator = '\n') {
  const bytes = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from(separator)]));
  const rejected: { readonly line: number; readonly reason: string }[] = [];
  const tally = await importRecords({
    input: inPieces(bytes, size),
    writer: civic.writer,
    onRejected: (line, reason) => {
      rejected.push({ line: line.number, reason });
      return Promise.resolve();
    },
  });
  await civic.caughtUp();
  return {
    ...tally,
    last: undefined,
    rejected: rejected.toSorted((one, other) => one.line - other.line),
    count: tally.rejected,
  };
}

function lineOf(number: number, variant: number, change: object = {}, data: object = {}): string {
  const { id, content, resource } = upsert('stream_records', number, variant) as {
    id: string;
    content: object;
    resource: string;
  };
  return JSON.stringify({ op: 'upsert', resource, id, data: { ...content, ...data }, ...change });
}
function topic(number: number, variant: number, data: object = {}): string {
  const { id, content } = upsert('topics', number, variant) as { id: string; content: object };
  return JSON.stringify({ op: 'upsert', resource: 'topics', id, data: { ...content, ...data } });
}
const removal = (number: number, change: object = {}): string =>
  JSON.stringify({ op: 'remove', resource: 'topics', id: recordId('topics', number), ...change });

const MAX_RECORD = 1_048_576;

/** The largest `text` of a record, computed from the size of the record without it. */
function fitting(number: number): number {
  const { id, content } = upsert('topics', number, 1) as { id: string; content: object };
  const at = '2026-01-01T00:00:00.000Z';
  return (
    MAX_RECORD - Buffer.byteLength(JSON.stringify({ ...content, id, createdAt: at, updatedAt: at, description: '' }))
  );
}

const BAD: Readonly<Record<string, readonly [line: string | Buffer, reason: RegExp]>> = {
  'broken JSON': ['{"op":"upsert",', /not JSON/],
  'text that is no JSON': ['nonsense', /not JSON/],
  'two values': ['{} {}', /not JSON/],
  'an array': ['[]', /must be a JSON object/],
  null: ['null', /must be a JSON object/],
  'a number': ['1e999', /must be a JSON object/],
  'an unknown operation': [lineOf(1, 1, { op: 'delete' }), /op must be/],
  'an unknown key': [lineOf(1, 1, { extra: 1 }), /unknown key "extra"/],
  'a key __proto__ beside the others': [
    lineOf(1, 1).replace('{', '{"__proto__":{"op":"remove"},'),
    /unknown key "__proto__"/,
  ],
  'an unknown resource': [lineOf(1, 1, { resource: 'people' }), /resource must be one of/],
  'a resource that every object has': [lineOf(1, 1, { resource: 'constructor' }), /resource must be one of/],
  'an id that is no uuid': [lineOf(1, 1, { id: '42' }), /id must be a uuid/],
  'an id that is no text': [lineOf(1, 1, { id: 42 }), /id must be a uuid/],
  'no data': [lineOf(1, 1, { data: undefined }), /data must be an object/],
  'data that is a list': [lineOf(1, 1, { data: [] }), /data must be an object/],
  'an unknown field': [lineOf(1, 1, {}, { colour: 'red' }), /colour/],
  'a missing field': [lineOf(1, 1, {}, { title: undefined }), /title/],
  'a wrong type': [lineOf(1, 1, {}, { title: 7 }), /title/],
  'an empty text': [lineOf(1, 1, {}, { title: '   ' }), /title/],
  'another id in the data': [lineOf(1, 1, {}, { id: recordId('topics', 2) }), /data.id differs/],
  'a number beyond every number': [
    lineOf(1, 1, {}, { attributes: { a: 1 } }).replace('"a":1', '"a":1e999'),
    /attributes/,
  ],
  'a whole number beyond 2^53': [
    lineOf(1, 1, {}, { attributes: { a: 1 } }).replace('"a":1', '"a":12345678901234567890'),
    /lose digits/,
  ],
  'an attribute that is no plain value': [lineOf(1, 1, {}, { attributes: { a: { b: 1 } } }), /attributes/],
  'invalid UTF-8': [
    Buffer.concat([Buffer.from('{"op":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    /not valid UTF-8/,
  ],
  'a cut character': [
    Buffer.from(lineOf(1, 1, {}, { title: 'é' }))
      .subarray(0, -3)
      .subarray(0, -1),
    /not JSON|not valid UTF-8/,
  ],
  'U+0000 in a text': [lineOf(1, 1, {}, { title: 'a\u0000b' }), /U\+0000/],
  'U+0000 in a key': [lineOf(1, 1, {}, { attributes: { 'a\u0000': 1 } }), /U\+0000/],
  'a lone surrogate': [lineOf(1, 1, {}, { title: 'x' }).replace('"x"', String.raw`"\ud800"`), /urrogate/],
  'a lone surrogate in a key': [
    lineOf(1, 1, {}, { attributes: { x: 1 } }).replace('"x":1', String.raw`"\udc00":1`),
    /urrogate/,
  ],
  'a key __proto__ in the data': [lineOf(1, 1, {}, { q: 1 }).replace('"q":1', '"__proto__":{"a":1}'), /__proto__/],
  'a key __proto__ deep in the data': [
    lineOf(1, 1, {}, { attributes: { q: 1 } }).replace('"q":1', '"__proto__":1'),
    /__proto__/,
  ],
  'data nested without end': [
    `{"op":"upsert","resource":"topics","id":"${recordId('topics', 1)}","data":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
    /slug is required/,
  ],
  'a record one byte over 1 MiB': [topic(1, 1, { description: 'd'.repeat(fitting(1) + 1) }), /over 1048576 bytes/],
  '10 MB of nonsense': ['z'.repeat(10_000_000), /10000000 bytes long/],
  'a removal with data': [removal(1, { data: {} }), /unknown key "data"/],
  'an address with a user and password': [
    lineOf(1, 1, {}, { sourceUrl: 'https://me:s3cret@example.org/a' }),
    /^sourceUrl: an address with a user or password is not allowed$/,
  ],
  'an address with a user': [
    lineOf(1, 1, {}, { sourceUrl: 'https://me@example.org/a' }),
    /^sourceUrl: an address with a user or password is not allowed$/,
  ],
  'a removal with a reason that is no text': [removal(1, { reason: 7 }), /reason/],
  'a removal with a lone surrogate as its reason': [
    removal(1, { reason: 'x' }).replace('"x"', String.raw`"\ud800"`),
    /reason/,
  ],
  'a removal with U+0000 in its reason': [removal(1, { reason: 'a\u0000' }), /reason/],
};

test('each bad line is refused with its number and a reason, and the other lines are imported', async () => {
  const lines: (string | Buffer)[] = [topic(1, 1)];
  for (const [nth, [line]] of Object.values(BAD).entries()) lines.push(line, topic(100 + nth, nth));
  const { read, appended, rejected, count } = await importLines(lines);
  expect(read).toBe(lines.length);
  expect(count).toBe(Object.keys(BAD).length);
  for (const [nth, [name, [, reason]]] of Object.entries(BAD).entries()) {
    expect([name, rejected[nth]?.line]).toEqual([name, 2 + 2 * nth]);
    expect([name, rejected[nth]!.reason]).toEqual([name, expect.stringMatching(reason)]);
    expect(rejected[nth]!.reason.length).toBeLessThan(500);
  }
  expect(appended).toBe(1 + Object.keys(BAD).length);
});

test('a record of 1 MiB, a byte order mark, CRLF, blank lines and an unterminated last line are read', async () => {
  const largest = topic(200, 1, { description: 'd'.repeat(fitting(200)) });
  expect(await importLines([largest])).toMatchObject({ read: 1, appended: 1, rejected: [] });
  const lines = [`\ufeff${topic(201, 1)}`, '', '   ', '\t \t', ' '.repeat(5000), topic(202, 1), `  ${topic(203, 1)}  `];
  expect(await importLines(lines, () => 3, '\r\n')).toMatchObject({ read: 3, appended: 3, rejected: [] });
  const last = await importRecords({
    input: inPieces(Buffer.from(topic(204, 1)), () => 10),
    writer: civic.writer,
    onRejected: () => Promise.reject(new Error('refused')),
  });
  expect(last).toMatchObject({ read: 1, appended: 1, unchanged: 0, rejected: 0 });
  expect(await importLines([])).toMatchObject({ read: 0, appended: 0 });
});

test('large records are written and exported few at a time', async () => {
  const lines = Array.from({ length: 20 }, (_, nth) =>
    topic(3000 + nth, 1, { description: 'd'.repeat(fitting(3000 + nth)) }),
  );
  const sizes: number[] = [];
  const writer: typeof civic.writer = {
    write: async (changes, ...rest) => {
      sizes.push(changes.length);
      return await civic.writer.write(changes, ...rest);
    },
  };
  const input = inPieces(Buffer.from(lines.join('\n')), () => 65_536);
  const { appended } = await importRecords({ input, writer, onRejected: () => Promise.reject(new Error('refused')) });
  expect([appended, ...sizes]).toEqual([20, 9, 9, 2]);
  await civic.caughtUp();
  const pages: number[] = [];
  const reads: typeof civic.reads = {
    ...civic.reads,
    rows: async <Row>(statementOf: Parameters<typeof civic.reads.rows>[0]) => {
      const rows = await civic.reads.rows<Row & { readonly body?: string }>(statementOf);
      pages.push(rows.filter(({ body }) => body !== undefined && body.length > 1_000_000).length);
      return rows;
    },
  };
  const exported = new Set<string>();
  for await (const line of exportRecords(reads, {}))
    if (line.length > 1_000_000) exported.add((JSON.parse(line) as { id: string }).id);
  expect(Array.from({ length: 20 }, (_, nth) => exported.has(recordId('topics', 3000 + nth)))).not.toContain(false);
  expect(Math.max(...pages)).toBeLessThanOrEqual(8);
});

test('an export of more than a page has each record once, and of one resource in the same order', async () => {
  const numbers = Array.from({ length: 1100 }, (_, nth) => 5000 + nth);
  await importLines(numbers.map((number) => topic(number, 1)));
  const numberById = new Map(numbers.map((number) => [recordId('topics', number), number]));
  const exported = async (question: Parameters<typeof exportRecords>[1]): Promise<number[]> => {
    const importedNumbers: number[] = [];
    for await (const line of exportRecords(civic.reads, question)) {
      const number = numberById.get((JSON.parse(line) as { id: string }).id);
      if (number !== undefined) importedNumbers.push(number);
    }
    return importedNumbers;
  };
  const all = await exported({});
  expect(all.toSorted((one, other) => one - other)).toEqual(numbers);
  expect(await exported({ resource: 'topics' })).toEqual(all);
});

test('changes of one record keep their order through a whole file', async () => {
  const lines: string[] = [];
  for (let variant = 0; variant < 1500; variant++) {
    lines.push(topic(300, variant));
    if (variant % 3 === 0) lines.push(topic(1000 + variant, variant));
    if (variant % 400 === 399) lines.push(removal(300));
  }
  const { appended } = await importLines(lines);
  expect(appended).toBe(lines.length);
  const events = await civic.log.readStream(`topics-${recordId('topics', 300)}`, NO_STREAM, 5000);
  const slugs = events.flatMap(({ type, data }) =>
    type === 'RecordPublished' ? [(JSON.parse(data) as { slug: string }).slug] : [],
  );
  expect(slugs).toEqual(Array.from({ length: 1500 }, (_, variant) => `topic-${variant}`));
});

test('the same file again appends nothing, in any notation of its values', async () => {
  const first = [topic(400, 1), lineOf(400, 1, {}, { recordDate: '2026-02-28' })];
  expect(await importLines(first)).toMatchObject({ appended: 2, unchanged: 0 });
  civic.clock.advance(1000);
  const again = [
    topic(400, 1, {
      name: '  Topic 1 ',
      createdAt: '2000-01-01T00:00:00Z',
      updatedAt: 'whenever',
      id: recordId('topics', 400).toUpperCase(),
    }),
    lineOf(
      400,
      1,
      { id: recordId('stream_records', 400).toUpperCase() },
      { recordDate: '2026-02-28', summary: null, sourceUrl: 'HTTPS://EXAMPLE.org:443/permits' },
    ),
    removal(401),
  ];
  expect(await importLines(again)).toMatchObject({ read: 3, appended: 0, unchanged: 3, rejected: [] });
});

test('a removed record that is imported again keeps its createdAt', async () => {
  const created = new Date(civic.clock.now()).toISOString();
  await importLines([topic(500, 1)]);
  civic.clock.advance(5000);
  await importLines([removal(500, { reason: 'gone from its source' })]);
  civic.clock.advance(5000);
  const updated = new Date(civic.clock.now()).toISOString();
  expect(await importLines([topic(500, 1)])).toMatchObject({ appended: 1 });
  const { text } = await civic.records({
    requests: [{ resource: 'topics', ids: [recordId('topics', 500)] }],
    maxResponseBytes: 1_000_000,
  });
  const { data } = JSON.parse(text) as { data: { items: { version: string; data: object }[] } };
  expect(data.items[0]).toMatchObject({ version: '3', data: { createdAt: created, updatedAt: updated } });
});

test('an export has the state of one moment and imports into the same records, in pieces of any size', async () => {
  await withSeed(async (random) => {
    await civic.writer.write(randomChanges(random, 300, 60), {});
    await civic.caughtUp();
    const expected = await expectedFeed(civic.log);
    const lines: string[] = [];
    for await (const line of exportRecords(civic.reads, {})) lines.push(line.trimEnd());
    const parsed = lines.map((line) => JSON.parse(line) as { resource: string; id: string; data: object });
    const state = new Map(parsed.map(({ resource, id, data }) => [`${resource} ${id}`, JSON.stringify(data)]));
    expect(linesOf(state)).toEqual(linesOf(stateAt(expected, expected.length)));
    civic.clock.advance(1000);
    const small = lines.filter((line) => line.length < 10_000);
    const { read, unchanged } = await importLines(small, () => 1 + below(random, 700));
    expect([read, unchanged]).toEqual([small.length, small.length]);
    const topics: string[] = [];
    for await (const line of exportRecords(civic.reads, { resource: 'topics' })) topics.push(line.trimEnd());
    expect(topics).toEqual(lines.filter((line) => line.includes('"resource":"topics"')));
  });
});
