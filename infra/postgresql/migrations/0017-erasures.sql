-- A text with each gap between the pieces that stay filled anew; all gaps are of one length. See the schema of ContentErased.
create function civic.cut_text(given text, keep jsonb, replacement text) returns text language plpgsql immutable
  set search_path = pg_catalog as $$
declare
  pieces integer[] := array(select k::integer from jsonb_array_elements_text(keep) with ordinality p(k, no) order by p.no);
  gap integer := char_length(given) - (select sum(k) from unnest(pieces) k);
  place integer := 1;
  result text := '';
begin
  if gap < cardinality(pieces) - 1 or gap % (cardinality(pieces) - 1) <> 0 then
    raise exception 'the text is not as long as the erasure says' using errcode = '42501';
  end if;
  gap := gap / (cardinality(pieces) - 1);
  for nth in 1 .. cardinality(pieces) loop
    if nth > 1 then result := result || replacement; end if;
    result := result || substr(given, place, pieces[nth]);
    place := place + pieces[nth] + gap;
  end loop;
  return result;
end
$$;

-- What an erasure makes of an event's data; null where it says nothing of that event.
create function civic.erased_data(erasure jsonb, event uuid, data jsonb) returns jsonb language plpgsql immutable
  set search_path = pg_catalog as $$
declare
  named jsonb := (
    select e->'texts' from jsonb_array_elements(erasure->'streams') s, jsonb_array_elements(s->'events') e
    where e->>'id' = event::text);
  erased jsonb;
  at text[];
begin
  if named is null then return null; end if;
  for erased in select jsonb_array_elements(named) loop
    at := array(select jsonb_array_elements_text(erased->'path'));
    if jsonb_typeof(data #> at) is distinct from 'string' then
      raise exception 'an erasure names a place that holds no text' using errcode = '42501';
    end if;
    data := jsonb_set(data, at,
      to_jsonb(civic.cut_text(data #>> at, erased->'keep', erasure->'replacements'->>(erased->>'with')::integer)), false);
  end loop;
  return data;
end
$$;

-- The log stays append-only but for what the newest erasure says, in the very transaction that appends it: whoever asks, and by whatever
-- function. So a rewritten row always has an erasure in the log that accounts for it, and nothing else of a row can change with it.
create function civic.check_rewriting() returns trigger language plpgsql set search_path = pg_catalog as $$
declare
  erasure jsonb;
  number bigint;
begin
  select e.data::jsonb, e.revision + 1 into erasure, number from civic.events e
    where e.stream = 'erasures-civic' and e.type = 'ContentErased' and e.xmin = pg_current_xact_id()::xid
    order by e.revision desc limit 1;
  if erasure is null or not exists (select from rewritten) or exists (
    select from original o full join rewritten r on r.position = o.position
    where o.position is null or r.position is null
      or (r.stream, r.revision, r.id, r.type, r.schema_version, r.time)
        is distinct from (o.stream, o.revision, o.id, o.type, o.schema_version, o.time)
      or r.data::jsonb is distinct from civic.erased_data(erasure, o.id, o.data::jsonb)
      or r.metadata::jsonb is distinct from o.metadata::jsonb || jsonb_build_object('erasures', number)
  ) then
    raise exception 'update on civic.events is refused: the log is append-only' using errcode = '42501';
  end if;
  return null;
end
$$;

drop trigger events_are_append_only on civic.events;
create trigger events_are_append_only before delete or truncate on civic.events
  for each statement execute function civic.refuse_change();
alter table civic.events enable always trigger events_are_append_only;
create trigger events_change_by_erasure after update on civic.events
  referencing old table as original new table as rewritten
  for each statement execute function civic.check_rewriting();
alter table civic.events enable always trigger events_change_by_erasure;

-- Appends an erasure and rewrites what it names; checkpoints of the streams' deciders may hold what was erased.
create function civic.append_erasure(
  to_stream text, expected bigint, event_id uuid, event_type text, version integer, body json, about json, at bigint,
  streams text[], revisions bigint[], data json[], metadata json[],
  out actual bigint, out start bigint
) language plpgsql as $$
declare
  changed bigint;
begin
  select o.actual, o.start into append_erasure.actual, append_erasure.start
    from civic.append_one(to_stream, expected, event_id, event_type, version, body, about, at) o;
  if start < 0 then return; end if;
  update civic.events e set data = r.body, metadata = r.about
    from unnest(append_erasure.streams, revisions, append_erasure.data, append_erasure.metadata) r(stream, revision, body, about)
    where e.stream = r.stream and e.revision = r.revision;
  get diagnostics changed = row_count;
  if changed <> cardinality(streams) then raise exception 'an erasure names an event that is not in the log'; end if;
  delete from civic.decider_checkpoints c where c.stream = any (streams);
end
$$;

-- Versions of records that erasures have changed, in each build of the record history: a snapshot in which one of them is visible is another
-- one from then on, and a reader in the midst of it begins again.
create table civic.erased_versions (
  generation integer not null references civic.generations on delete cascade,
  position bigint not null,
  resource text collate "C" not null,
  erasure bigint not null,
  primary key (generation, position)
);
comment on column civic.erased_versions.position is 'The feed position of the version.';
comment on column civic.erased_versions.erasure is 'Number of the last erasure that changed it.';
