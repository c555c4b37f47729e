-- The folded state of long streams, so that a command need not read them from their start. Derived: a row may be deleted at any time.
create table civic.decider_checkpoints (
  stream text collate "C" not null,
  decider text collate "C" not null,
  version integer not null,
  revision bigint not null,
  event_id uuid not null,
  state text not null,
  seal text not null,
  primary key (stream, decider)
);
comment on column civic.decider_checkpoints.event_id is 'The event at the revision; a stream that has another one there is not the one that was folded.';
