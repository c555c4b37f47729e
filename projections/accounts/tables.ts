import { generationTable } from '../../domain/ports/projection.ts';

/** Accounts and their keys, as admission and the operator's lists read them. Times are milliseconds since the epoch. */
export const ACCOUNTS = 'accounts';

export const accountsTable = (generation: number): string => generationTable(ACCOUNTS, generation);
export const keysTable = (generation: number): string => generationTable(ACCOUNTS, generation, 'keys');

export const createAccountTables = (generation: number): readonly string[] => [
  `create table ${accountsTable(generation)} (
    account_id uuid primary key,
    name text not null,
    status text not null,
    channel text not null,
    tier text not null,
    paid_until bigint,
    paid_at bigint,
    opened_at bigint not null
  )`,
  `create table ${keysTable(generation)} (
    key_id uuid primary key,
    account_id uuid not null,
    sha256 text not null unique,
    scopes text not null,
    issued_at bigint not null,
    expires_at bigint,
    revoked_at bigint
  )`,
  `create index accounts_keys_g${generation}_by_account on ${keysTable(generation)} (account_id)`,
];
