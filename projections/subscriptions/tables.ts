import { generationTable } from '../../domain/ports/projection.ts';

/** Polling subscriptions, the revoked ones too. Whether one lives hangs on its key as well. Times are milliseconds since the epoch. */
export const SUBSCRIPTIONS = 'subscriptions';

export const subscriptionsTable = (generation: number): string => generationTable(SUBSCRIPTIONS, generation);

export const createSubscriptionsTable = (generation: number): readonly string[] => [
  `create table ${subscriptionsTable(generation)} (
    subscription_id uuid primary key,
    account_id uuid not null,
    key_id uuid not null,
    name text not null,
    resource text,
    start_cursor text not null,
    created_at bigint not null,
    revoked_at bigint
  )`,
  `create index subscriptions_g${generation}_by_account on ${subscriptionsTable(generation)} (account_id) where revoked_at is null`,
];
