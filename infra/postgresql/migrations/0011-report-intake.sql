-- Open missing-data reports of all accounts, and those that are just being taken in, in one row: whoever takes a place waits for it.
create table civic.report_queue (
  singleton boolean primary key default true check (singleton),
  counted bigint,
  reckoned bigint not null default 0,
  reserved jsonb not null default '{}'
);
comment on column civic.report_queue.counted is 'As the read model told; null before it was asked for the first time.';
comment on column civic.report_queue.reserved is 'Report id to the time, in milliseconds since the epoch, until which somebody is at work on it.';

insert into civic.report_queue default values;

-- Requests of client addresses to the report operations in windows of time. Lost in a crash, which only opens the windows of that moment.
create unlogged table civic.report_client_counts (
  window_start bigint not null,
  client uuid not null,
  used bigint not null,
  primary key (window_start, client)
);
comment on column civic.report_client_counts.client is 'Derived from an operation and an address.';

-- Tokens that somebody is making a report of right now. Lost in a crash: what a token stands for is on the account's stream.
create unlogged table civic.report_claims (
  account_id uuid not null,
  token_key text collate "C" not null,
  claimed_by uuid not null,
  claimed_until bigint not null,
  primary key (account_id, token_key)
);
