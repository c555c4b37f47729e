import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newEvents } from '../../commands/handle.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { accountFeedsStream, accountStream } from '../../domain/streams.ts';
import { createGenerationStore } from '../../infra/postgresql/generations.ts';
import { openDatabase } from '../../infra/postgresql/open-database.ts';
import { migrate } from '../../infra/postgresql/schema-state.ts';
import { accounts } from '../../projections/accounts/projection.ts';
import { subscriptions } from '../../projections/subscriptions/projection.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { dumpTables, nothingToReread } from '../support/projection-spec.ts';

const [ID, ACCOUNT] = [randomUUID(), randomUUID()];
const SECONDS = [7, 3, 9, 5] as const;
const at = (seconds: number) => `2026-01-01T00:00:0${seconds}.000Z`;

const key = { keyId: ID, sha256: '0'.repeat(64), scopes: ['civic:read'], expiresAt: null };
const feed = { id: ID, name: 'One', resource: null, keyId: ID, keyExpiresAt: null, startCursor: 'c', createdAt: at(1), lapsed: [] };

const CASES: readonly (readonly [Projection, string, string, object, string, (seconds: number) => object])[] = [
  [accounts, accountStream(ACCOUNT), 'KeyIssued', key, 'KeyRevoked', () => ({ keyId: ID })],
  [
    subscriptions,
    accountFeedsStream(ACCOUNT),
    'FeedSubscriptionCreated',
    feed,
    'FeedSubscriptionRevoked',
    (seconds) => ({ id: ID, revokedAt: at(seconds) }),
  ],
];

/** The database chose any of the revocations that were in one batch. */
test.each(CASES)('$0.name: of several revocations of one row the last counts, in one batch or in several', async (...of) => {
  const [projection, stream, created, creation, revoked, revocation] = of;
  const decided = [{ type: created, data: creation }, ...SECONDS.map((seconds) => ({ type: revoked, data: revocation(seconds) }))];
  const events = decided.map(({ type, data }, revision): StoredEvent => {
    const time = Date.parse(at(SECONDS[revision - 1] ?? 1));
    const [event] = newEvents([{ type, data: JSON.stringify(data) }], { commandId: randomUUID(), time });
    return { ...event!, metadata: '{}', stream, revision, position: String(revision + 1).padStart(16, '0') as Position };
  });
  const server = await startTestDatabase();
  await migrate(server.url);
  const database = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  try {
    const rowsOf = async (batches: readonly (readonly StoredEvent[])[]) => {
      const { generation } = await createGenerationStore(database.transactor).create(projection, 'scratch', 0);
      for (const batch of batches) {
        const { columns } = database;
        await database.transactor.transaction((transaction) =>
          projection.fold(batch, { transaction, columns, generation, reread: nothingToReread }),
        );
      }
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
