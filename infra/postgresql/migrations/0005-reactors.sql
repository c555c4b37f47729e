-- How far each reactor has followed the log, and who runs it. Rebuilding read models leaves these rows alone: what a reactor did is done.
create table civic.reactors (
  name text collate "C" primary key,
  log_id uuid,
  checkpoint text collate "C" not null default '',
  handled bigint not null default 0,
  owner text,
  token bigint not null default 0,
  lease_until bigint not null default 0,
  paused_reason text,
  paused_event uuid
);
