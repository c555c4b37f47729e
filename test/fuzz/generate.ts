import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import type { Conversation, End, FuzzFacts, Step } from './conversation.ts';
import {
  chunkedBody,
  headerFlood,
  mutateBytes,
  ODD_METHODS,
  oddBody,
  oddCredential,
  oddFraming,
  oddHost,
  oddMethod,
  oddTarget,
} from './mutations.ts';
import { one, operatorsRequest, type RequestParts, validRequest, writeRequest } from './requests.ts';

/** A flood has the size of one read of a socket. */
const FLOOD_BYTES = 65_536;
const HELD_BODY_BYTES = 1_000_000;
const MAX_PAUSE_MS = 30;

type Written = Pick<Conversation, 'steps' | 'methods'> & Partial<Pick<Conversation, 'end'>>;
type Make = (random: SeededRandom, parts: RequestParts, facts: FuzzFacts) => Written;

const whole = (parts: RequestParts): Written => ({ steps: [writeRequest(parts)], methods: [parts.method] });
const withHeader = (parts: RequestParts, name: string, value: string): RequestParts => ({
  ...parts,
  headers: [...parts.headers, [name, value]],
});

function pieces(random: SeededRandom, bytes: Buffer, count: number): readonly Step[] {
  const cuts = Array.from({ length: count - 1 }, () => random.below(bytes.length + 1)).toSorted((a, b) => a - b);
  return [...cuts, bytes.length].flatMap((cut, at) => {
    const part = bytes.subarray(cuts[at - 1] ?? 0, cut);
    return at === 0 ? [part] : [random.below(MAX_PAUSE_MS), part];
  });
}

function pipelined(random: SeededRandom, facts: FuzzFacts, count: number): Written {
  const requests = Array.from({ length: count }, () => validRequest(random, facts));
  return { steps: [Buffer.concat(requests.map(writeRequest))], methods: requests.map(({ method }) => method) };
}

const chunked = (random: SeededRandom, parts: RequestParts, isRight: boolean): Written =>
  whole({
    ...withHeader(parts, 'transfer-encoding', 'chunked'),
    body: chunkedBody(random, parts.body ?? '{"a":1}', isRight),
  });

/** Headers without a key that announce a body which is never sent: the answer does not need the body. */
function bodyWithoutKey(random: SeededRandom, parts: RequestParts): Written {
  const method = one(random, ['POST', ...ODD_METHODS.slice(0, 4)]);
  // A public path accepts no POST and a customer path needs a key: neither may wait for the body.
  const length = ['content-length', String(1 + random.below(HELD_BODY_BYTES))] as const;
  const headers = [...parts.headers.filter(([name]) => !/^(authorization|content-length)$/.test(name)), length];
  return { ...whole({ ...parts, method, headers, body: null }), end: 'answers' };
}

/** Each kind of conversation with its share among all. */
const KINDS: Readonly<Record<string, readonly [share: number, make: Make]>> = {
  valid: [20, (_, parts) => whole(parts)],
  pipelined: [5, (random, _, facts) => pipelined(random, facts, 2 + random.below(20))],
  'pipelined and never read': [
    2,
    (random, _, facts) => ({ ...pipelined(random, facts, 2 + random.below(40)), end: 'hold' }),
  ],
  'changed bytes': [12, (random, parts) => ({ steps: [mutateBytes(random, writeRequest(parts))], methods: null })],
  'odd method': [9, (random, parts) => whole(oddMethod(random, parts))],
  'odd host': [4, (random, parts) => whole(oddHost(random, parts))],
  'odd credential': [4, (random, parts) => whole(oddCredential(random, parts))],
  'odd target': [4, (random, parts) => whole(oddTarget(random, parts))],
  'odd body': [6, (random, parts) => whole(oddBody(random, parts))],
  'odd framing': [4, (random, parts) => ({ ...whole(oddFraming(random, parts)), methods: null })],
  'header flood': [2, (random, parts) => whole(headerFlood(random, parts))],
  'chunked body': [4, (random, parts) => chunked(random, parts, true)],
  'broken chunks': [4, (random, parts) => ({ ...chunked(random, parts, false), methods: null })],
  connect: [
    3,
    (random, parts) => whole({ ...parts, method: 'CONNECT', target: one(random, ['a:1', '/', parts.target]) }),
  ],
  upgrade: [
    3,
    (random, parts) =>
      whole(withHeader(withHeader(parts, 'connection', 'upgrade'), 'upgrade', one(random, ['websocket', 'h2c', 'x']))),
  ],
  expect: [3, (random, parts) => whole(withHeader(parts, 'expect', one(random, ['100-continue', 'tea', ''])))],
  partial: [
    6,
    (random, parts) => {
      const bytes = writeRequest(parts);
      return { steps: [bytes.subarray(0, 1 + random.below(bytes.length))], methods: null };
    },
  ],
  'in pieces': [
    3,
    (random, parts) => ({ steps: pieces(random, writeRequest(parts), 2 + random.below(4)), methods: [parts.method] }),
  ],
  'body without a key': [3, bodyWithoutKey],
};

const SHARES = Object.values(KINDS).reduce((sum, [share]) => sum + share, 0);

function drawKind(random: SeededRandom): readonly [string, Make] {
  let place = random.below(SHARES);
  for (const [kind, [share, make]] of Object.entries(KINDS)) {
    if (place < share) return [kind, make];
    place -= share;
  }
  throw new Error('the shares do not add up');
}

/** Most are read to their end, so that their answers can be judged; a third is reset. */
function drawEnd(random: SeededRandom): End {
  const place = random.next();
  return place < 0.5 ? 'read' : place < 0.85 ? 'reset' : place < 0.95 ? 'leave' : 'hold';
}

const randomAt = (seed: number, index: number): SeededRandom =>
  seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));

/** The conversation with an index in the sequence of a seed: the same seed, index and facts give the same bytes. */
export function conversationAt(seed: number, index: number, facts: FuzzFacts): Conversation {
  const random = randomAt(seed, index);
  const listener = random.chance(0.1) ? 'operators' : 'public';
  const parts = listener === 'public' ? validRequest(random, facts) : operatorsRequest(random);
  const [kind, make] = drawKind(random);
  const end = drawEnd(random);
  const conversation = { end, ...make(random, parts, facts) };
  // A reset falls on any byte of what is sent.
  const cut = conversation.end === 'reset' && random.chance(0.7);
  const steps = cut ? upTo(random, conversation.steps) : conversation.steps;
  const tools = kind.startsWith('pipelined') || parts.target.startsWith('/api/v1/mcp') || conversation.methods === null;
  return { listener: kind.startsWith('pipelined') ? 'public' : listener, kind, tools, ...conversation, steps };
}

/** Valid requests that warm a process up. */
export function warmUpAt(index: number, facts: FuzzFacts): Conversation {
  const random = randomAt(0, index);
  return { listener: 'public', kind: 'warm-up', tools: true, end: 'read', ...whole(validRequest(random, facts)) };
}

function upTo(random: SeededRandom, steps: readonly Step[]): readonly Step[] {
  const bytes = Buffer.concat(steps.filter((step) => typeof step !== 'number'));
  return [bytes.subarray(0, random.below(bytes.length + 1))];
}

/** Many connections that do the same during a batch: send an unread flood, a body without a key, half a request, or nothing. */
export const CROWDS: readonly { readonly kind: string; readonly members: number; readonly step: Buffer | null }[] = [
  { kind: 'crowd of unread floods', members: 160, step: flood() },
  { kind: 'crowd of bodies without a key', members: 400, step: heldBody() },
  {
    kind: 'crowd of half requests',
    members: 400,
    step: Buffer.from('GET /api/v1/data/health HTTP/1.1\r\nhost: x\r\nx-a: '),
  },
  { kind: 'crowd of idle connections', members: 400, step: null },
];

function flood(): Buffer {
  const request = 'GET /llms.txt HTTP/1.1\r\nhost: x\r\n\r\n';
  return Buffer.from(request.repeat(Math.ceil(FLOOD_BYTES / request.length)));
}

function heldBody(): Buffer {
  const head = `PUT /api/v1/data/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${HELD_BODY_BYTES}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.alloc(HELD_BODY_BYTES - 1, ' ')]);
}

/** The crowd of a batch: all kinds in turn, so a short run has each of them. */
export function crowdAt(batch: number): readonly Conversation[] {
  const { kind, members, step } = CROWDS[batch % CROWDS.length]!;
  const steps = step === null ? [] : [step];
  return Array.from({ length: members }, () => ({
    listener: 'public',
    kind,
    steps,
    end: 'hold',
    methods: null,
    tools: false,
  }));
}
