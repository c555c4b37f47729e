-- As before. A group of appends that all begin a stream is inserted without a look at each stream: the unique key of stream and revision
-- refuses a stream that exists, and the group is then decided as before.
create or replace function civic.append_group(
  streams text[], expected bigint[], counts bigint[],
  append_nos bigint[], event_nos bigint[], ids uuid[], types text[], versions bigint[], data json[], metadata json[], times bigint[],
  out actual bigint[], out starts bigint[]
) language plpgsql as $$
declare
  head bigint := civic.lock_log();
  appended bigint;
begin
  if -1 = all (expected) then
    begin
      actual := expected;
      starts := array(select (head + sum(a.size) over (order by a.no) - a.size)::bigint from unnest(counts) with ordinality a(size, no) order by a.no);
      insert into civic.events (position, stream, revision, id, type, schema_version, data, metadata, time)
        select starts[e.append_no] + e.event_no, streams[e.append_no], e.event_no - 1,
               e.id, e.type, e.version::integer, e.body, e.about, e.at
        from unnest(append_nos, event_nos, ids, types, versions, data, metadata, times)
          e(append_no, event_no, id, type, version, body, about, at);
      perform pg_notify('civic_log', '');
      return;
    exception when unique_violation then
      null;
    end;
  end if;

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
