-- The log had lost events that a process had read: noticed once for each pair of positions, open until an operator has acknowledged it.
create table civic.history_set_backs (
  held text collate "C" not null,
  head text collate "C" not null,
  noticed_at bigint not null,
  acknowledged_at bigint,
  primary key (held, head)
);
