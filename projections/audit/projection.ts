import { insertRows, rowSet } from '../row-set.ts';
import type { EventMetadata, StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { sameRows } from '../same-rows.ts';
import { AUDIT, auditTable, createAuditTable } from './tables.ts';
import { ACCOUNT_EVENTS } from '../../domain/events/account-events.ts';
import { SNAPSHOT_TAKEN } from '../../domain/events/snapshot-events.ts';
import { SUBSCRIPTION_EVENTS } from '../../domain/events/subscription-events.ts';
import { streamId } from '../../domain/streams.ts';

/** Requests of customers and changes of their accounts, without the events that reactors append. */
export const AUDITED: readonly string[] = [
  SNAPSHOT_TAKEN,
  ...Object.keys(SUBSCRIPTION_EVENTS),
  'DataReportSubmitted',
  ...Object.keys(ACCOUNT_EVENTS),
];

interface AuditRow {
  readonly accountId: string;
  readonly position: string;
  readonly at: number;
  /** The event's type. */
  readonly action: string;
  /** Id of what was written: the snapshot, subscription, report or key; the account itself otherwise. */
  readonly subject: string;
  readonly keyId: string | null;
  readonly requestId: string | null;
}

/** What of an event's data names its subject. */
const SUBJECTS: Readonly<Record<string, string>> = {
  [SNAPSHOT_TAKEN]: 'snapshotId',
  FeedSubscriptionCreated: 'id',
  FeedSubscriptionRevoked: 'id',
  DataReportSubmitted: 'reportId',
  KeyIssued: 'keyId',
  KeyRevoked: 'keyId',
  AccountPaymentVerified: 'paymentId',
  AccountPaymentSettled: 'paymentId',
  AccountPaymentFailed: 'paymentId',
};

/** The metadata of each event names account and key; the stream of a snapshot does not name the account. */
export function auditRow({ position, stream, type, data, metadata, time }: StoredEvent): AuditRow {
  const by = JSON.parse(metadata) as EventMetadata;
  const said = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const accountId = type === SNAPSHOT_TAKEN ? String(said['accountId']) : streamId(stream);
  const named = SUBJECTS[type];
  return {
    accountId,
    position,
    at: time,
    action: type,
    subject: named === undefined ? accountId : String(said[named]),
    keyId: by.keyId ?? null,
    requestId: by.requestId ?? null,
  };
}

async function fold(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  await transaction.execute(
    insertRows(
      auditTable(generation),
      rowSet(columns, batch.map(auditRow), {
        account_id: ['uuid', ({ accountId }) => accountId],
        position: ['text', ({ position }) => position],
        at: ['bigint', ({ at }) => at],
        action: ['text', ({ action }) => action],
        subject: ['text', ({ subject }) => subject],
        key_id: ['text', ({ keyId }) => keyId],
        request_id: ['text', ({ requestId }) => requestId],
      }),
    ),
  );
}

export const audit: Projection = {
  name: AUDIT,
  version: 1,
  handles: AUDITED,
  tables: (generation) => [auditTable(generation)],
  create: createAuditTable,
  positionColumns: (generation) => [{ table: auditTable(generation), column: 'position' }],
  fold,
  differences: (left, right) => [sameRows(auditTable(left), auditTable(right))],
};
