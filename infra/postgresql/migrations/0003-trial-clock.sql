-- A trial's clock: where it was started, and how far from the machine's own it runs. No row: the machine's clock.
create table civic.trial_clock (
  singleton boolean primary key default true check (singleton),
  started_at bigint not null,
  offset_ms bigint not null
);
