import { ARGUMENTS } from '../support/tool-answers.ts';
import { MISSING_RECORD, WHOLE_MISSING_RECORD } from '../support/missing-record.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { currentRequest, legacyRequest } from '../support/tool-requests.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { OPERATIONS, type OperationId } from '../../contract/operations.ts';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import type { FuzzFacts } from './conversation.ts';

/** A request before it is serialised. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: string | null;
}

export type Header = readonly [name: string, value: string];

export const one = <Item>(random: SeededRandom, items: readonly Item[]): Item => items[random.below(items.length)]!;

const hex = (random: SeededRandom, length: number): string =>
  Array.from({ length }, () => random.below(16).toString(16)).join('');
/** A uuid of version 4 that the service does not know. */
const uuid = (random: SeededRandom): string =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`;

type Filled = Partial<Pick<RequestParts, 'target' | 'headers' | 'body'>>;

function toolRequest(random: SeededRandom, _path: string, { reportId }: FuzzFacts): Filled {
  const requestOf = one(random, [currentRequest, legacyRequest]);
  const name = one(random, TOOL_NAMES);
  const ofRecord = { get_agenda_item: { itemId: uuid(random) }, get_data_report: { reportId } };
  const { headers, body } = one(random, [
    () => requestOf('tools/list'),
    () => requestOf('tools/call', { params: { name, arguments: { ...ARGUMENTS, ...ofRecord }[name] } }),
    () =>
      legacyRequest('initialize', {
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
      }),
  ])();
  return { headers: [['content-type', 'application/json'], ...Object.entries(headers)], body };
}

const json = (value: object): Filled => ({
  headers: [['content-type', 'application/json']],
  body: JSON.stringify(value),
});

/** The query and body of an operation; an operation without an entry has none. */
const ASKED: Partial<Record<OperationId, (random: SeededRandom, path: string, facts: FuzzFacts) => Filled>> = {
  listRecentAgendaHits: (random, path) => ({ target: `${path}?limit=${1 + random.below(3)}` }),
  listUpcomingAgendaHits: (random, path) => ({
    target: `${path}?topic=${one(random, ['zoning', 'data_centers', 'none'])}`,
  }),
  listDfwResearchCoverage: (random, path) => ({
    target: `${path}?county=${one(random, ['dallas', 'tarrant', 'mars'])}&limit=3`,
  }),
  postMcpJsonRpc: toolRequest,
  createFeedSubscription: (random) =>
    json({ name: `feed ${random.below(20)}`, resource: one(random, [null, ...RESOURCES]) }),
  readFeedSubscriptionChanges: (random, path) => ({ target: `${path}?limit=${1 + random.below(20)}` }),
  readCivicChanges: (random, path) => ({ target: `${path}?limit=${1 + random.below(50)}` }),
  readCivicSnapshotPage: (random, path) => ({ target: `${path}?limit=${1 + random.below(20)}` }),
  readCivicRecords: (random) => json({ requests: [{ resource: one(random, RESOURCES), ids: [uuid(random)] }] }),
  submitDataReport: (random) => {
    const { headers = [], body = null } = json(one(random, [MISSING_RECORD, WHOLE_MISSING_RECORD]));
    return { headers: [...headers, ['idempotency-key', uuid(random)]], body };
  },
};

const DOCUMENTS = ['/llms.txt', '/api-reference.md', '/api-reference/readCivicChanges.md', '/reference', '/'];
const OPERATORS_PATHS = ['/livez', '/readyz', '/metrics', '/ops', '/ops/state'];

function filledPath(random: SeededRandom, path: string, facts: FuzzFacts): string {
  const values: Readonly<Record<string, string>> = {
    ...facts,
    slug: 'dallas',
    bodySlug: 'city-council',
    resource: one(random, RESOURCES),
  };
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => (random.chance(0.8) ? values[name] : undefined) ?? uuid(random),
  );
}

/** A valid request of a customer for an operation or document of the public listener. */
export function validRequest(random: SeededRandom, facts: FuzzFacts): RequestParts {
  const host: Header = ['host', 'records.test'];
  if (random.chance(0.1))
    return { method: one(random, ['GET', 'HEAD']), target: one(random, DOCUMENTS), headers: [host], body: null };
  const { operationId, method, path, access } = one(random, Object.values(OPERATIONS));
  const filled = filledPath(random, path, facts);
  const { target = filled, headers = [], body = null } = ASKED[operationId]?.(random, filled, facts) ?? {};
  const credential: readonly Header[] = access === 'key' ? [['authorization', `Bearer ${facts.key}`]] : [];
  return { method, target, headers: [host, ...credential, ...headers], body };
}

export const operatorsRequest = (random: SeededRandom): RequestParts => ({
  method: one(random, ['GET', 'HEAD']),
  target: one(random, OPERATORS_PATHS),
  headers: [['host', '127.0.0.1']],
  body: null,
});

/** Adds the length unless a header states it. */
export function writeRequest({ method, target, headers, body }: RequestParts): Buffer {
  const hasLength = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const length: readonly Header[] =
    body === null || hasLength ? [] : [['content-length', String(Buffer.byteLength(body, 'latin1'))]];
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n'), 'latin1');
}
