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

export const insertAccounts = (generation: number, opened: AccountChanges['opened'], columns: ColumnArrays): Statement => ({
  text: `insert into ${accountsTable(generation)} (account_id, name, status, channel, tier, paid_until, opened_at)
    select id, name, 'active', channel, tier, paid_until, opened_at
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) as o (id, name, channel, tier, paid_until, opened_at)`,
  values: [
    columns.uuids(opened.map(({ accountId }) => accountId)),
    columns.texts(opened.map(({ data }) => data.name)),
    columns.texts(opened.map(({ data }) => data.channel)),
    columns.texts(opened.map(({ data }) => data.tier)),
    columns.bigints(opened.map(({ data }) => milliseconds(data.paidUntil))),
    columns.bigints(opened.map(({ time }) => time)),
  ],
});

export const updateNames = (generation: number, opened: AccountChanges['opened'], columns: ColumnArrays): Statement => ({
  text: `update ${accountsTable(generation)} a set name = o.name
    from unnest($1::uuid[], $2::text[]) as o (account_id, name) where a.account_id = o.account_id`,
  values: [columns.uuids(opened.map(({ accountId }) => accountId)), columns.texts(opened.map(({ data }) => data.name))],
});

export const updatePeriods = (generation: number, periods: AccountChanges['periods'], columns: ColumnArrays): Statement => ({
  text: `update ${accountsTable(generation)} a set tier = p.tier, paid_until = p.paid_until
    from unnest($1::uuid[], $2::text[], $3::bigint[]) as p (account_id, tier, paid_until) where a.account_id = p.account_id`,
  values: [
    columns.uuids([...periods.keys()]),
    columns.texts([...periods.values()].map(({ tier }) => tier)),
    columns.bigints([...periods.values()].map(({ paidUntil }) => milliseconds(paidUntil))),
  ],
});

export const updateChannels = (generation: number, channels: AccountChanges['channels'], columns: ColumnArrays): Statement => ({
  text: `update ${accountsTable(generation)} a set channel = c.channel
    from unnest($1::uuid[], $2::text[]) as c (account_id, channel) where a.account_id = c.account_id`,
  values: [columns.uuids([...channels.keys()]), columns.texts([...channels.values()])],
});

export const updatePayments = (generation: number, payments: AccountChanges['payments'], columns: ColumnArrays): Statement => ({
  text: `update ${accountsTable(generation)} a set paid_at = greatest(a.paid_at, p.paid_at)
    from unnest($1::uuid[], $2::bigint[]) as p (account_id, paid_at) where a.account_id = p.account_id`,
  values: [columns.uuids([...payments.keys()]), columns.bigints([...payments.values()].map(milliseconds))],
});

export const updateStatuses = (generation: number, statuses: AccountChanges['statuses'], columns: ColumnArrays): Statement => ({
  text: `update ${accountsTable(generation)} a set status = s.status
    from unnest($1::uuid[], $2::text[]) as s (account_id, status) where a.account_id = s.account_id`,
  values: [columns.uuids([...statuses.keys()]), columns.texts([...statuses.values()])],
});

export const insertKeys = (generation: number, issued: AccountChanges['issued'], columns: ColumnArrays): Statement => ({
  text: `insert into ${keysTable(generation)} (key_id, account_id, sha256, scopes, issued_at, expires_at)
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])`,
  values: [
    columns.uuids(issued.map(({ data }) => data.keyId)),
    columns.uuids(issued.map(({ accountId }) => accountId)),
    columns.texts(issued.map(({ data }) => data.sha256)),
    columns.texts(issued.map(({ data }) => data.scopes.join(' '))),
    columns.bigints(issued.map(({ time }) => time)),
    columns.bigints(issued.map(({ data }) => milliseconds(data.expiresAt))),
  ],
});

export const updateRevoked = (generation: number, revoked: AccountChanges['revoked'], columns: ColumnArrays): Statement => ({
  text: `update ${keysTable(generation)} k set revoked_at = r.revoked_at
    from unnest($1::uuid[], $2::bigint[]) as r (key_id, revoked_at) where k.key_id = r.key_id`,
  values: [columns.uuids([...revoked.keys()]), columns.bigints([...revoked.values()])],
});
