-- Requests to the public endpoints that each process has counted. Lost in a crash, which only opens the limits for a moment.
create unlogged table civic.public_counts (
  window_start bigint not null,
  counted text collate "C" not null,
  process uuid not null,
  requests bigint not null,
  primary key (window_start, counted, process)
);
comment on column civic.public_counts.counted is 'An operation and a client address.';
