-- Work that comes up again and again and that one process at a time does for all: who is at it, and when its next turn is due.
create table civic.regular_turns (
  name text collate "C" primary key,
  owner text,
  token bigint not null default 0,
  lease_until bigint not null default 0,
  due_at bigint not null default 0
);
