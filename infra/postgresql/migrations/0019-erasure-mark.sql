-- How often checkpoints were dropped for an erasure. Whoever loaded one, or found none, before the latest drop may have folded what was erased
-- since, and keeps no checkpoint: it would outlive the drop. Its own row, so that a lock on it orders the two.
create table civic.erasure_mark (
  singleton boolean primary key default true check (singleton),
  drops bigint not null
);
insert into civic.erasure_mark (drops) values (0);
