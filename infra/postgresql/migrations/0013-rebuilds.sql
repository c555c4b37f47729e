-- What an operator wants of a rebuild, what was found when it was compared, and how long its predecessor is kept for a switch back.
alter table civic.generations
  add column held boolean not null default false,
  add column accept_differences boolean not null default false,
  add column operator_paused_at bigint,
  add column comparison text,
  add column kept_until bigint;

-- How fast its owner folds, over the last stretch of it: written with the checkpoint, so that it outlives owners and restarts.
alter table civic.generations
  add column owned_since bigint,
  add column place bigint,
  add column stretch_at bigint,
  add column stretch_folded bigint,
  add column stretch_place bigint,
  add column fold_rate double precision,
  add column pace double precision;
