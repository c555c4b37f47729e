-- When a secret of a key was last used: written at most once an hour for each. Not derived from the log and in no backup.
create table civic.key_uses (
  sha256 text collate "C" primary key,
  used_at bigint not null
);
comment on column civic.key_uses.used_at is 'Milliseconds since the epoch.';
