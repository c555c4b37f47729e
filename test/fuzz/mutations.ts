import type { SeededRandom } from '../support/seeded-random.ts';
import { type Header, one, type RequestParts } from './requests.ts';

/** Methods that no operation has: those of Node's parser first, then invalid ones. */
export const ODD_METHODS = [
  'PUT',
  'PATCH',
  'OPTIONS',
  'QUERY',
  'TRACE',
  'DELETE',
  'POST',
  'PROPFIND',
  'LOCK',
  'PURGE',
  'SEARCH',
] as const;
const NO_METHODS = ['FETCH', 'get', 'G ET', '', 'CONNECTX', 'A'.repeat(300)] as const;

const without = (headers: readonly Header[], name: string): readonly Header[] =>
  headers.filter(([each]) => each !== name);
const withHeaders = (parts: RequestParts, ...more: readonly Header[]): RequestParts => ({
  ...parts,
  headers: [...parts.headers, ...more],
});

export function oddHost(random: SeededRandom, parts: RequestParts): RequestParts {
  const { headers } = parts;
  const hosts: readonly (readonly Header[])[] = [
    [],
    [['host', '']],
    [
      ['host', 'a'],
      ['host', 'b'],
    ],
    [
      ['host', 'a'],
      ['Host', 'a'],
    ],
    [['host', 'a, b']],
    [['host', 'user@evil.test:99999']],
    [['host', '[::1']],
    [['host', 'x'.repeat(5_000)]],
    [['host', 'evil.test\tb']],
    [['host', '\u00ff\u0080']],
  ];
  return { ...parts, headers: [...one(random, hosts), ...without(headers, 'host')] };
}

export function oddCredential(random: SeededRandom, parts: RequestParts): RequestParts {
  const odd = ['', 'Bearer', 'Bearer crs_x', 'Basic YTpi', `Bearer ${'a'.repeat(4_000)}`, 'Bearer a b', 'bearer\tcrs_'];
  const headers = random.chance(0.3) ? parts.headers : without(parts.headers, 'authorization');
  return { ...parts, headers: [...headers, ['authorization', one(random, odd)]] };
}

export const headerFlood = (random: SeededRandom, parts: RequestParts): RequestParts =>
  one(random, [
    () => withHeaders(parts, ...Array.from({ length: 2_500 }, (_, at): Header => [`x-${at}`, ''])),
    () => withHeaders(parts, ['x', 'a'.repeat(20_000)]),
    () => withHeaders(parts, ['cookie', 'a=b; '.repeat(3_000)]),
    () => ({ ...parts, target: `${parts.target}?${'a=1&'.repeat(5_000)}` }),
    () => ({ ...parts, target: `${parts.target}${'/..'.repeat(4_000)}` }),
  ])();

export function oddFraming(random: SeededRandom, parts: RequestParts): RequestParts {
  const odd: readonly (readonly Header[])[] = [
    [['content-length', '-1']],
    [['content-length', '99999999999999999999']],
    [
      ['content-length', '1'],
      ['content-length', '2'],
    ],
    [
      ['content-length', '5'],
      ['transfer-encoding', 'chunked'],
    ],
    [['transfer-encoding', 'gzip, chunked']],
    [['transfer-encoding', 'identity']],
    [['transfer-encoding', 'chunked, chunked']],
    [['content-length', '5000000']],
    [['content-encoding', 'gzip']],
    [['content-type', 'text/plain']],
    [['content-type', 'application/json; charset=utf-7']],
  ];
  return withHeaders({ ...parts, body: parts.body ?? '{"a":1}' }, ...one(random, odd));
}

export const oddTarget = (random: SeededRandom, parts: RequestParts): RequestParts => ({
  ...parts,
  target: one(random, [
    `${parts.target}%`,
    `${parts.target}/%2e%2e/%ff`,
    `${parts.target}?limit=1&limit=2`,
    `${parts.target}?cursor=${'%00'.repeat(20)}`,
    `//${parts.target}`,
    '*',
    'http://evil.test',
    `https://evil.test${parts.target}`,
    '/__proto__',
    '/api/v1/data/constructor',
    '\u00e9',
    '?',
  ]),
});

export const oddBody = (random: SeededRandom, parts: RequestParts): RequestParts => ({
  ...parts,
  body: one(random, [
    '',
    '{',
    'null',
    '[]',
    '[[]]',
    '{"__proto__":{"a":1}}',
    `${'['.repeat(8_000)}${']'.repeat(8_000)}`,
    `"${'a'.repeat(70_000)}"`,
    '{"requests":[{"resource":"topics","ids":[]}]}',
    '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1}}',
    '\u00ff\u00fe',
  ]),
});

export const oddMethod = (random: SeededRandom, parts: RequestParts): RequestParts => ({
  ...parts,
  method: random.chance(0.85) ? one(random, ODD_METHODS) : one(random, NO_METHODS),
  body: random.chance(0.5) ? parts.body : one(random, [null, '', 'a', '{"a":1}']),
});

/** Changes a few bytes anywhere: flips, removes, repeats or inserts them. */
export function mutateBytes(random: SeededRandom, bytes: Buffer): Buffer {
  let mutated = bytes;
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const at = random.below(mutated.length + 1);
    const till = Math.min(mutated.length, at + 1 + random.below(12));
    const part = mutated.subarray(at, till);
    const change = one(random, [
      () => Buffer.from(part.map((byte) => byte ^ (1 << random.below(8)))),
      () => Buffer.alloc(0),
      () => Buffer.concat([part, part]),
      () => Buffer.from([random.below(256)]),
      () => Buffer.from(one(random, ['\r', '\n', '\r\n', '\r\n\r\n', '\0', ':', ' ', '\t', '%', '\u00ff']), 'latin1'),
    ])();
    mutated = Buffer.concat([mutated.subarray(0, at), change, mutated.subarray(till)]);
  }
  return mutated;
}

/** A body in chunks, valid or invalid in a way that a parser must detect. */
export function chunkedBody(random: SeededRandom, body: string, isRight: boolean): string {
  const size = 1 + random.below(40);
  const chunks = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const right = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  if (isRight) return `${right}0\r\n\r\n`;
  return one(random, [
    `${right}zz\r\n`,
    `${right}fffffffffffffffff\r\na`,
    `${right}5;${'x'.repeat(20_000)}\r\n`,
    `${right}3\r\nabcd\r\n0\r\n\r\n`,
    `${right}0\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    `${right}-1\r\n\r\n`,
    right,
    `${right}0\r\n`,
  ]);
}
