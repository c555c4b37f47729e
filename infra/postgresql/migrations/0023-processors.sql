-- One row for each reactor and each job: its checkpoint, its lease and what stopped it. A rebuild of read models does not change these rows.
-- Read models have generations, whose state decides who may have the lease; their leases stay in civic.generations.
alter table civic.reactors rename to processors;
alter index civic.reactors_pkey rename to processors_pkey;
alter table civic.processors add column due_at bigint;
comment on column civic.processors.due_at is 'When a job runs next, in milliseconds of the lease clock; null for a reactor, which follows the log.';
insert into civic.processors (name, owner, token, lease_until, due_at) select name, owner, token, lease_until, due_at from civic.regular_turns;
drop table civic.regular_turns;
