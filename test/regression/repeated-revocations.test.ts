import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newEvents } from '../../commands/handle.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { accountFeedsStream, accountStream } from '../../domain/streams.ts';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { accounts } from '../../projections/accounts/projection.ts';
import { subscriptions } from '../../projections/subscriptions/projection.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { dumpTables, foldInto } from '../support/projection-spec.ts';

const [ID, ACCOUNT] = [randomUUID(), randomUUID()];
const SECONDS = [7, 3, 9, 5] as const;
const at = (seconds: number) => `2026-01-01T00:00:0${seconds}.000Z`;

const key = { keyId: ID, sha256: '0'.repeat(64), scopes: ['civic:read'], expiresAt: null };
const feed = {
  id: ID,
  name: 'One',
  resource: null,
  keyId: ID,
  keyExpiresAt: null,
  startCursor: 'c',
  createdAt: at(1),
  lapsed: [],
};

interface Case {
  readonly projection: Projection;
  readonly stream: string;
  readonly created: { readonly type: string; readonly data: object };
  readonly revoked: (seconds: number) => Case['created'];
}

const CASES: readonly Case[] = [
  {
    projection: accounts,
    stream: accountStream(ACCOUNT),
    created: { type: 'KeyIssued', data: key },
    revoked: () => ({ type: 'KeyRevoked', data: { keyId: ID } }),
  },
  {
    projection: subscriptions,
    stream: accountFeedsStream(ACCOUNT),
    created: { type: 'FeedSubscriptionCreated', data: feed },
    revoked: (seconds) => ({ type: 'FeedSubscriptionRevoked', data: { id: ID, revokedAt: at(seconds) } }),
  },
];

/** The database chose any of the revocations that were in one batch. */
test.each(CASES)('$projection.name: the last of several revocations counts, in one batch or several', async (of) => {
  const { projection, stream } = of;
  const events = [of.created, ...SECONDS.map(of.revoked)].map(({ type, data }, revision): StoredEvent => {
    const time = Date.parse(at(SECONDS[revision - 1] ?? 1));
    const [event] = newEvents([{ type, data: JSON.stringify(data) }], { commandId: randomUUID(), time });
    return {
      ...event!,
      metadata: '{}',
      stream,
      revision,
      position: String(revision + 1).padStart(16, '0') as Position,
    };
  });
  const server = await startTestDatabase();
  const database = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  try {
    const rowsOf = async (batches: readonly (readonly StoredEvent[])[]) => {
      const { generation } = await createGenerationStore(database.transactor).create(projection, 'scratch', 0);
      for (const batch of batches) await foldInto(database, projection, generation, batch);
      return dumpTables(database, projection, generation);
    };
    const rows = await rowsOf(events.map((event) => [event]));
    expect(rows.join('\n')).toContain(String(Date.parse(at(SECONDS.at(-1)!))));
    expect(await rowsOf([events])).toEqual(rows);
  } finally {
    await database.close();
    await server.close();
  }
});
