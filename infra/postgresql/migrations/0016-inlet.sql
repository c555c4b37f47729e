-- How far each partition of a topic of record changes has been taken, by whom last (a token that grows), and what was begun and is not settled.
create table civic.inlet_parts (
  topic text collate "C" not null,
  partition integer not null,
  token bigint not null,
  next_offset bigint not null default 0,
  command_id uuid,
  claim_to bigint,
  revisions jsonb not null default '{}',
  primary key (topic, partition)
);
