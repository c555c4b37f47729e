import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { AccountChanges } from './account-changes.ts';
import { accountsTable, keysTable } from './tables.ts';

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
