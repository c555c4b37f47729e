-- The event log: one order of dense positions; the revision of a stream is its last event's.

create table civic.events (
  position bigint primary key,
  stream text collate "C" not null,
  revision bigint not null,
  id uuid not null,
  type text collate "C" not null,
  schema_version integer not null,
  data json not null,
  metadata json not null,
  time bigint not null,
  constraint events_stream_revision unique (stream, revision)
);
comment on table civic.events is 'Append-only. data and metadata are json, not jsonb: their exact text is kept.';
comment on column civic.events.position is 'Dense from 1, given under the append lock, visible in order.';
comment on column civic.events.time is 'Milliseconds since the epoch, from the writer''s clock.';

create function civic.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on civic.% is refused: the log is append-only', lower(tg_op), tg_table_name using errcode = '42501';
end
$$;

create trigger events_are_append_only before update or delete or truncate on civic.events
  for each statement execute function civic.refuse_change();
-- Always: the setting that turns triggers off for replication does not turn this one off.
alter table civic.events enable always trigger events_are_append_only;

-- The lock is held until the commit is visible, so positions become visible in order; whoever holds it sees every earlier one.
-- A commit that is seen before it is flushed could be lost after a reader passed it: so never without a flush.
create function civic.lock_log() returns bigint language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'appending needs the isolation level read committed';
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  perform pg_advisory_xact_lock(4848250413820917);
  return (select coalesce(max(position), 0) from civic.events);
end
$$;

-- A group of appends, each of its own stream, each all or nothing by itself. Per append: stream, expected revision, number of events.
-- Per event: the number of its append (from 1), its own number within it (from 1), and its columns.
-- Answers per append the stream's revision as it was found, and the position before its first event, -1 for a conflict.
create function civic.append_group(
  streams text[], expected bigint[], counts bigint[],
  append_nos bigint[], event_nos bigint[], ids uuid[], types text[], versions bigint[], data json[], metadata json[], times bigint[],
  out actual bigint[], out starts bigint[]
) language plpgsql as $$
declare
  head bigint := civic.lock_log();
  appended bigint;
begin
  -- A lookup for each, not a join: a join would be planned while the log is small and kept while it grows.
  actual := array(
    select coalesce((select e.revision from civic.events e where e.stream = a.stream order by e.revision desc limit 1), -1)
    from unnest(streams) with ordinality a(stream, no) order by a.no);
  starts := array(
    select case when a.revision = a.expectation
      then (head + sum(a.size) filter (where a.revision = a.expectation) over (order by a.no) - a.size)::bigint else -1 end
    from unnest(actual, expected, counts) with ordinality a(revision, expectation, size, no) order by a.no);

  insert into civic.events (position, stream, revision, id, type, schema_version, data, metadata, time)
    select starts[e.append_no] + e.event_no, streams[e.append_no], expected[e.append_no] + e.event_no,
           e.id, e.type, e.version::integer, e.body, e.about, e.at
    from unnest(append_nos, event_nos, ids, types, versions, data, metadata, times)
      e(append_no, event_no, id, type, version, body, about, at)
    where starts[e.append_no] >= 0;
  get diagnostics appended = row_count;

  if appended > 0 then perform pg_notify('civic_log', ''); end if;
end
$$;

-- The same for one event of one stream, without the cost of sets.
create function civic.append_one(
  to_stream text, expected bigint, event_id uuid, event_type text, version integer, body json, about json, at bigint,
  out actual bigint, out start bigint
) language plpgsql as $$
declare
  head bigint := civic.lock_log();
begin
  actual := coalesce((select e.revision from civic.events e where e.stream = to_stream order by e.revision desc limit 1), -1);
  if actual <> expected then
    start := -1;
    return;
  end if;
  start := head;
  insert into civic.events (position, stream, revision, id, type, schema_version, data, metadata, time)
    values (head + 1, to_stream, expected + 1, event_id, event_type, version, body, about, at);
  perform pg_notify('civic_log', '');
end
$$;
