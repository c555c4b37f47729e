import { ACCOUNT_EVENTS, SUBSCRIPTION_EVENTS } from '../../domain/events/account-events.ts';
import { SNAPSHOT_TAKEN } from '../../domain/events/feed-events.ts';
import type { EventMetadata, StoredEvent } from '../../domain/ports/event-log.ts';
import { streamId } from '../../domain/streams.ts';
import { projection } from '../projection.ts';
import { insert } from '../rows.ts';
import { AUDIT } from './tables.ts';

/** The field of an event's data that contains its subject. Other events have the account as subject. */
const SUBJECTS: Readonly<Record<string, string>> = {
  [SNAPSHOT_TAKEN]: 'snapshotId',
  FeedSubscriptionCreated: 'id',
  FeedSubscriptionRevoked: 'id',
  DataReportSubmitted: 'reportId',
  KeyIssued: 'keyId',
  KeyLabelled: 'keyId',
  KeyRotated: 'keyId',
  KeyRevoked: 'keyId',
  AccountPaymentVerified: 'paymentId',
  AccountPaymentSettled: 'paymentId',
  AccountPaymentFailed: 'paymentId',
};

/**
 * Creates the audit row of an event. Account and key come from its metadata, because the stream of a snapshot does not
 * name the account.
 */
export function auditRow({ position, stream, type, data, metadata, time }: StoredEvent) {
  const by = JSON.parse(metadata) as EventMetadata;
  const details = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const accountId = type === SNAPSHOT_TAKEN ? String(details['accountId']) : streamId(stream);
  const subjectOf = SUBJECTS[type];
  return {
    account_id: accountId,
    position,
    at: time,
    action: type,
    subject: subjectOf === undefined ? accountId : String(details[subjectOf]),
    key_id: by.keyId ?? null,
    request_id: by.requestId ?? null,
  };
}

/** Requests of customers and changes of their accounts, without the events that reactors append. */
export const audit = projection(AUDIT, {
  version: 2,
  handles: [SNAPSHOT_TAKEN, ...Object.keys(SUBSCRIPTION_EVENTS), 'DataReportSubmitted', ...Object.keys(ACCOUNT_EVENTS)],
  positionColumns: (generation) => [{ table: AUDIT.at(generation).audit, column: 'position' }],
  fold: (batch, context) => insert(context, AUDIT.tables.audit, batch.map(auditRow)),
});
