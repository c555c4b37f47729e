import { insertRows, rowSet, updateRows } from '../row-set.ts';
import { type AccountEvent, readAccountEvent } from '../../domain/events/account-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { streamId } from '../../domain/streams.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import { accountsTable, keysTable } from './tables.ts';

type Data<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data'];

/** The changes of a batch: rows to insert, and for each kind of change the last value of each account or key. */
export interface AccountChanges {
  readonly opened: { readonly accountId: string; readonly time: number; readonly data: Data<'AccountOpened'> }[];
  readonly periods: Map<string, Data<'AccountPeriodSet'>>;
  readonly channels: Map<string, Data<'AccountChannelSet'>['channel']>;
  /** The latest confirmed payment: settlements arrive in any order. */
  readonly payments: Map<string, string>;
  readonly statuses: Map<string, 'active' | 'suspended'>;
  readonly issued: { readonly accountId: string; readonly time: number; readonly data: Data<'KeyIssued'> }[];
  /** Key id to the time of its revocation. */
  readonly revoked: Map<string, number>;
}

/** Events ascending. The first event of an account or key creates it, so kinds of changes can be applied one after the other. */
export function accountChanges(batch: readonly StoredEvent[]): AccountChanges {
  const changes: AccountChanges = {
    opened: [],
    periods: new Map(),
    channels: new Map(),
    payments: new Map(),
    statuses: new Map(),
    issued: [],
    revoked: new Map(),
  };
  for (const stored of batch) {
    const event = readAccountEvent(stored);
    const accountId = streamId(stored.stream);
    const { time } = stored;
    switch (event.type) {
      case 'AccountOpened':
        changes.opened.push({ accountId, time, data: event.data });
        break;
      case 'AccountPeriodSet':
        changes.periods.set(accountId, event.data);
        break;
      case 'AccountChannelSet':
        changes.channels.set(accountId, event.data.channel);
        break;
      case 'AccountPaymentConfirmed':
        keepLatest(changes.payments, accountId, event.data.paidAt);
        break;
      case 'AccountPaymentSettled':
        keepLatest(changes.payments, accountId, event.data.settledAt);
        break;
      case 'AccountPaymentVerified':
      case 'AccountPaymentFailed':
        break;
      case 'AccountSuspended':
        changes.statuses.set(accountId, 'suspended');
        break;
      case 'AccountResumed':
        changes.statuses.set(accountId, 'active');
        break;
      case 'KeyIssued':
        changes.issued.push({ accountId, time, data: event.data });
        break;
      case 'KeyRevoked':
        changes.revoked.set(event.data.keyId, time);
        break;
    }
  }
  return changes;
}

function keepLatest(payments: Map<string, string>, accountId: string, paidAt: string): void {
  const known = payments.get(accountId);
  if (known === undefined || known < paidAt) payments.set(accountId, paidAt);
}

const milliseconds = (time: string | null): number | null => (time === null ? null : Date.parse(time));

/** A column that is the id in entries of a map. */
const ID = ['uuid', ([id]: readonly [string, unknown]) => id] as const;

export const insertAccounts = (generation: number, opened: AccountChanges['opened'], columns: ColumnArrays): Statement =>
  insertRows(
    accountsTable(generation),
    rowSet(columns, opened, {
      account_id: ['uuid', ({ accountId }) => accountId],
      name: ['text', ({ data }) => data.name],
      status: ['text', () => 'active'],
      channel: ['text', ({ data }) => data.channel],
      tier: ['text', ({ data }) => data.tier],
      paid_until: ['bigint', ({ data }) => milliseconds(data.paidUntil)],
      opened_at: ['bigint', ({ time }) => time],
    }),
  );

export const updateNames = (generation: number, opened: AccountChanges['opened'], columns: ColumnArrays): Statement =>
  updateRows(
    accountsTable(generation),
    rowSet(columns, opened, { account_id: ['uuid', ({ accountId }) => accountId], name: ['text', ({ data }) => data.name] }),
  );

export const updatePeriods = (generation: number, periods: AccountChanges['periods'], columns: ColumnArrays): Statement =>
  updateRows(
    accountsTable(generation),
    rowSet(columns, [...periods], {
      account_id: ID,
      tier: ['text', ([, { tier }]) => tier],
      paid_until: ['bigint', ([, { paidUntil }]) => milliseconds(paidUntil)],
    }),
  );

export const updateChannels = (generation: number, channels: AccountChanges['channels'], columns: ColumnArrays): Statement =>
  updateRows(accountsTable(generation), rowSet(columns, [...channels], { account_id: ID, channel: ['text', ([, channel]) => channel] }));

export const updatePayments = (generation: number, payments: AccountChanges['payments'], columns: ColumnArrays): Statement =>
  updateRows(
    accountsTable(generation),
    rowSet(columns, [...payments], { account_id: ID, paid_at: ['bigint', ([, paidAt]) => milliseconds(paidAt)] }),
    { paid_at: 'greatest(t.paid_at, r.paid_at)' },
  );

export const updateStatuses = (generation: number, statuses: AccountChanges['statuses'], columns: ColumnArrays): Statement =>
  updateRows(accountsTable(generation), rowSet(columns, [...statuses], { account_id: ID, status: ['text', ([, status]) => status] }));

export const insertKeys = (generation: number, issued: AccountChanges['issued'], columns: ColumnArrays): Statement =>
  insertRows(
    keysTable(generation),
    rowSet(columns, issued, {
      key_id: ['uuid', ({ data }) => data.keyId],
      account_id: ['uuid', ({ accountId }) => accountId],
      sha256: ['text', ({ data }) => data.sha256],
      scopes: ['text', ({ data }) => data.scopes.join(' ')],
      issued_at: ['bigint', ({ time }) => time],
      expires_at: ['bigint', ({ data }) => milliseconds(data.expiresAt)],
    }),
  );

export const updateRevoked = (generation: number, revoked: AccountChanges['revoked'], columns: ColumnArrays): Statement =>
  updateRows(keysTable(generation), rowSet(columns, [...revoked], { key_id: ID, revoked_at: ['bigint', ([, time]) => time] }));
