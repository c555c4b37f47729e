-- Where this database was last used, and whose log its rows belong to: compared at each start, so that one which was brought here from a
-- dump, or stands beside another log, is not served as if nothing had happened. No row before the first start.
create table civic.installation (
  singleton boolean primary key default true check (singleton),
  database text collate "C" not null,
  timeline text collate "C" not null,
  log_id uuid not null,
  renewing text
);
comment on column civic.installation.database is 'The server''s own identifier and the database''s number there; empty where this user may not ask.';
comment on column civic.installation.timeline is 'Of the server''s write-ahead log: another one after a recovery to a point in time, and after a failover.';
comment on column civic.installation.renewing is 'Why the feed is being given another identity, from the first step of that to the last.';
