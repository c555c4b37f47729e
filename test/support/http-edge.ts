import { randomBytes, randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { createAdmission } from '../../src/admission/admit.ts';
import type { OperationFunctions } from '../../src/contract/handlers.ts';
import { encodeFeedCursor } from '../../src/domain/cursor.ts';
import { SCOPES } from '../../src/domain/events/account-events.ts';
import { randomIdentifiers } from '../../src/domain/identifiers.ts';
import type { KeyIdentity } from '../../src/domain/identity.ts';
import { keySecretHash, makeKeySecret } from '../../src/domain/key-secret.ts';
import { RESOURCES, type Resource } from '../../src/domain/records/resources.ts';
import { createHttpServer, HTTP_TIMEOUTS, type HttpTimeouts } from '../../src/http/http-server.ts';
import { createHttpMetrics } from '../../src/http/metrics.ts';

/** The real edge over a real socket, in front of functions that a test chooses. */
export interface HttpEdge {
  readonly url: string;
  readonly port: number;
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly accountId: string;
  /** What the functions were asked, in order. */
  readonly calls: { readonly name: string; readonly input: unknown }[];
  readonly logged: { readonly level: string; readonly fields: Record<string, unknown>; readonly message: string }[];
  readonly registry: Registry;
  /** Breaks or restores the identity look-up. */
  identity: 'working' | 'failing';
  /** Replaces functions; the others keep their answers. */
  answerWith(functions: Partial<OperationFunctions>): void;
  close(): Promise<void>;
}

export type KeyName = 'all' | 'read' | 'export' | 'mcp' | 'revoked' | 'expired' | 'suspended' | 'unknown';

export const EDGE_NOW = Date.parse('2026-03-01T12:00:00.000Z');
const at = new Date(EDGE_NOW).toISOString();

const perResource = <Value>(value: Value) => Object.fromEntries(RESOURCES.map((resource) => [resource, value])) as Record<Resource, Value>;

const feedCursor = encodeFeedCursor({ feedId: randomUUID(), position: 1, binding: 'nothing' });

/** Answers without data, in the shape of the contract. */
export const EMPTY_ANSWERS: OperationFunctions = {
  readCivicChanges: async () => ({
    text: JSON.stringify({ data: { items: [] }, meta: { nextCursor: feedCursor, hasMore: false, replayExpiresAt: at } }),
    items: 0,
  }),
  createCivicSnapshot: async () => ({
    snapshotId: randomUUID(),
    boundaryCursor: feedCursor,
    createdAt: at,
    expiresAt: at,
    counts: perResource(0),
    digests: perResource('0'.repeat(64)),
  }),
  readCivicSnapshotPage: async () => ({
    text: JSON.stringify({ data: { items: [] }, meta: { nextCursor: null, hasMore: false } }),
    items: 0,
  }),
  readCivicRecords: async () => ({ text: JSON.stringify({ data: { items: [] } }), items: 0 }),
  readCivicHealth: async () => ({
    status: 'healthy',
    checkedAt: at,
    sources: [],
    pipeline: {
      lagEvents: 0,
      lagSeconds: 0,
      pendingWork: 0,
      failedWork: 0,
      projections: [],
      head: { cursor: feedCursor, digests: perResource('0'.repeat(64)) },
    },
  }),
};

export const startHttpEdge = async (
  settings: { readonly timeouts?: Partial<HttpTimeouts>; readonly logSampleEvery?: number } = {},
): Promise<HttpEdge> => {
  const accountId = randomUUID();
  const identities = new Map<string, KeyIdentity>();
  const issue = (facts: Partial<KeyIdentity>): string => {
    const secret = makeKeySecret(randomBytes);
    const active = { expiresAt: null, revokedAt: null, accountStatus: 'active', channel: 'subscription', tier: 'pro' } as const;
    identities.set(keySecretHash(secret), {
      keyId: randomUUID(),
      accountId,
      scopes: SCOPES,
      ...active,
      paidUntil: null,
      paidAt: null,
      ...facts,
    });
    return secret;
  };
  const keys: Record<KeyName, string> = {
    all: issue({}),
    read: issue({ scopes: ['civic:read'] }),
    export: issue({ scopes: ['civic:export'] }),
    mcp: issue({ scopes: ['mcp:read'] }),
    revoked: issue({ revokedAt: EDGE_NOW - 1 }),
    expired: issue({ expiresAt: EDGE_NOW }),
    suspended: issue({ accountStatus: 'suspended' }),
    unknown: makeKeySecret(randomBytes),
  };

  const calls: HttpEdge['calls'] = [];
  let functions = EMPTY_ANSWERS;
  const recorded = Object.fromEntries(
    (Object.keys(EMPTY_ANSWERS) as (keyof OperationFunctions)[]).map((name) => [
      name,
      (input: unknown) => {
        calls.push({ name, input });
        return (functions[name] as (input: unknown) => Promise<unknown>)(input);
      },
    ]),
  ) as unknown as OperationFunctions;

  const logged: HttpEdge['logged'] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields: fields as Record<string, unknown>, message });
  const registry = new Registry();
  const server = createHttpServer({
    functions: recorded,
    admit: createAdmission({
      resolveKey: async (sha256) => {
        if (edge.identity === 'failing') throw new Error('the look-up is down');
        return identities.get(sha256) ?? null;
      },
      onLookupFailure: (error) => log('warn')({ err: error }, 'identity look-up failed'),
    }),
    clock: { now: () => EDGE_NOW, sleep: async () => undefined },
    identifiers: randomIdentifiers,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    metrics: createHttpMetrics(registry),
    logSampleEvery: settings.logSampleEvery ?? 1,
    timeouts: { ...HTTP_TIMEOUTS, ...settings.timeouts },
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const edge: HttpEdge = {
    url: `http://127.0.0.1:${port}`,
    port,
    keys,
    accountId,
    calls,
    logged,
    registry,
    identity: 'working',
    answerWith: (replaced) => {
      functions = { ...EMPTY_ANSWERS, ...replaced };
    },
    close: () => server.close(),
  };
  return edge;
};
