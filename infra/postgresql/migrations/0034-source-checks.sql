-- What the last sync of each source found. Each sync replaces its row, and no record depends on it: it is not in a backup.
create table civic.source_checks (
  source_key text collate "C" primary key,
  source_ids uuid[] not null,
  checked_at bigint not null,
  failure text,
  reasons jsonb not null
);
comment on column civic.source_checks.checked_at is 'Milliseconds since the epoch.';
