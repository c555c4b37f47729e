-- The record history folded by one statement, for comparison: the same columns with the same text, into a table with the same indexes.
insert into yardstick_history (position, resource, record_id, version, removed, changed_at, superseded_at, digest, envelope, body)
select
  f.position, f.resource, f.record_id::uuid, f.version, f.removed, f.changed_at,
  case when f.removed then f.position else coalesce(f.next, 9223372036854775807) end,
  case when not f.removed then sha256(convert_to(f.resource || E'\n' || f.record_id || E'\n' || f.body, 'UTF8')) end,
  '"resource":"' || f.resource || '","operation":"' || case when f.removed then 'remove' else 'upsert' end
    || '","recordId":"' || f.record_id || '","version":"' || f.version
    || '","changedAt":"' || to_char(to_timestamp(f.changed_at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'
    || case when f.removed then '' else ',"data":' end,
  case when not f.removed then f.body end
from (
  select
    n.position, n.changed_at, n.removed, n.body, n.version,
    left(n.stream, -37) as resource, right(n.stream, 36) as record_id,
    lead(n.position) over (partition by n.stream order by n.position) as next
  from (
    select
      row_number() over (order by e.position) as position,
      max(e.time) over (order by e.position rows unbounded preceding) as changed_at,
      e.type = 'RecordWithdrawn' as removed, e.data::text as body, e.revision + 1 as version, e.stream
    from civic.events e where e.type in ('RecordPublished', 'RecordWithdrawn')
  ) n
) f
