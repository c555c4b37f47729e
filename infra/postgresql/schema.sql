-- The current schema `civic`: every table, index, constraint, trigger and function that the migrations create.
-- The program does not run this file. test/contract/schema.test.ts compares it with a migrated database.
-- Tables of read models are not here: each projection declares its own in tables.ts of its folder.
-- Times are milliseconds since the epoch from the clock of the program unless a comment names another unit.

-- Log -------------------------------------------------------------------------

-- Append-only. `data` and `metadata` are json, not jsonb, because their exact text must survive.
create table civic.events (
  position bigint primary key,             -- dense from 1; assigned under the append lock and visible in this order
  stream text collate "C" not null,
  revision bigint not null,                -- of the event in its stream, from 0
  id uuid not null,
  type text collate "C" not null,
  schema_version integer not null,
  data json not null,
  metadata json not null,
  time bigint not null,
  constraint events_stream_revision unique (stream, revision)
);

-- Has a row after the log has moved to another store. A process that still appends here is refused and loses nothing.
create table civic.log_seal (
  singleton boolean primary key default true check (singleton),
  sealed_at bigint not null
);

-- Folded state of long streams, so that a command need not read them from the start. Derived: rows can be deleted.
create table civic.decider_checkpoints (
  stream text collate "C" not null,
  decider text collate "C" not null,
  version integer not null,
  revision bigint not null,
  event_id uuid not null,                  -- of the event at `revision`; another id there: another stream was folded
  state text not null,
  seal text not null,
  primary key (stream, decider)
);

-- Counts how often an erasure deleted decider checkpoints. A process that loaded a checkpoint before the latest
-- deletion might have folded erased text, so it stores no checkpoint. The lock on this row orders the two.
create table civic.erasure_mark (
  singleton boolean primary key default true check (singleton),
  drops bigint not null
);

create function civic.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on civic.% is refused: the log is append-only', lower(tg_op), tg_table_name
    using errcode = '42501';
end
$$;

-- Takes the append lock and returns the head. The lock lasts until the commit is visible, so positions become visible
-- in order, and whoever has the lock sees every earlier event. A commit without a flush could be lost after a reader
-- passed it, so synchronous_commit is never off. A sealed log accepts appends only from the command that moves it back.
create function civic.lock_log() returns bigint language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'appending needs the isolation level read committed';
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  perform pg_advisory_xact_lock(4848250413820917);
  if exists (select from civic.log_seal) and coalesce(current_setting('civic.copies_log', true), '') <> 'on' then
    raise exception 'the log has moved to another store' using errcode = 'CR004';
  end if;
  return (select coalesce(max(position), 0) from civic.events);
end
$$;

-- Appends to several different streams; each append succeeds or fails on its own.
--   streams, expected, counts: stream, expected revision and number of events of each append.
--   append_nos, event_nos: number of the append of each event, and of the event in its append, both from 1.
--   ids, types, versions, data, metadata, times: columns of each event.
-- Returns, for each append, the revision of its stream before it, and the position before its first event or -1 after
-- a conflict.
create function civic.append_group(
  streams text[], expected bigint[], counts bigint[],
  append_nos bigint[], event_nos bigint[], ids uuid[], types text[], versions bigint[], data json[], metadata json[],
  times bigint[],
  out actual bigint[], out starts bigint[]
) language plpgsql as $$
declare
  head bigint := civic.lock_log();
  appended bigint;
begin
  -- When every append starts a new stream, the unique constraint replaces the lookup of each stream. If one of the
  -- streams exists, the insert is undone and the lookups below decide.
  if -1 = all (expected) then
    begin
      actual := expected;
      starts := array(
        select (head + sum(a.size) over (order by a.no) - a.size)::bigint
        from unnest(counts) with ordinality a(size, no)
        order by a.no);
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

  -- One lookup for each stream instead of a join: PostgreSQL would plan the join for a small log and reuse that plan.
  actual := array(
    select coalesce((
      select e.revision from civic.events e where e.stream = a.stream order by e.revision desc limit 1), -1)
    from unnest(streams) with ordinality a(stream, no)
    order by a.no);
  starts := array(
    select case when a.revision = a.expectation
      then (head + sum(a.size) filter (where a.revision = a.expectation) over (order by a.no) - a.size)::bigint
      else -1 end
    from unnest(actual, expected, counts) with ordinality a(revision, expectation, size, no)
    order by a.no);

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

-- Appends one event to one stream: append_group without the cost of arrays.
create function civic.append_one(
  to_stream text, expected bigint, event_id uuid, event_type text, version integer, body json, about json, at bigint,
  out actual bigint, out start bigint
) language plpgsql as $$
declare
  head bigint := civic.lock_log();
begin
  actual := coalesce((
    select e.revision from civic.events e where e.stream = to_stream order by e.revision desc limit 1), -1);
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

-- Erasure ---------------------------------------------------------------------

-- Returns `given` with each gap between the pieces in `keep` replaced. All gaps have the same length.
create function civic.cut_text(given text, keep jsonb, replacement text) returns text language plpgsql immutable
  set search_path = pg_catalog as $$
declare
  pieces integer[] := array(
    select k::integer from jsonb_array_elements_text(keep) with ordinality p(k, no) order by p.no);
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

-- Returns the data of an event as an erasure leaves it; null when the erasure does not name the event.
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
      to_jsonb(civic.cut_text(
        data #>> at, erased->'keep', erasure->'replacements'->>(erased->>'with')::integer)), false);
  end loop;
  return data;
end
$$;

-- Permits an update of events only as the newest erasure describes it, in the transaction that appends that erasure.
-- Every rewritten row therefore has an erasure in the log, and no other column can change with it.
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

-- "enable always": the setting that turns off triggers for replication does not turn off these two.
create trigger events_are_append_only before delete or truncate on civic.events
  for each statement execute function civic.refuse_change();
alter table civic.events enable always trigger events_are_append_only;
create trigger events_change_by_erasure after update on civic.events
  referencing old table as original new table as rewritten
  for each statement execute function civic.check_rewriting();
alter table civic.events enable always trigger events_change_by_erasure;

-- Appends an erasure, rewrites the events that it names, and deletes the decider checkpoints of their streams.
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
    from unnest(append_erasure.streams, revisions, append_erasure.data, append_erasure.metadata)
      r(stream, revision, body, about)
    where e.stream = r.stream and e.revision = r.revision;
  get diagnostics changed = row_count;
  if changed <> cardinality(streams) then
    raise exception 'an erasure names an event that is not in the log';
  end if;
  delete from civic.decider_checkpoints c where c.stream = any (streams);
end
$$;

-- Read models and processors --------------------------------------------------

-- The generation of each read model that serves. A switch updates this row; every read checks it in its own statement.
create table civic.projections (
  name text collate "C" primary key,
  live_generation integer
);

-- One build of the tables of a read model: how far it has folded, who folds it, and what stopped it.
create table civic.generations (
  generation integer generated always as identity primary key,
  projection text collate "C" not null references civic.projections,
  version integer not null,
  state text not null check (state in ('live', 'building', 'scratch', 'retired', 'refused')),
  log_id uuid,                             -- of the log that was folded
  checkpoint text collate "C" not null default '',
  folded bigint not null default 0,        -- events folded
  owner text,                              -- the lease: who folds, under which token, until when
  token bigint not null default 0,
  lease_until bigint not null default 0,
  paused_reason text,
  paused_event uuid,
  created_at bigint not null,
  changed_at bigint not null,
  held boolean not null default false,     -- an operator holds back the switch to this generation
  accept_differences boolean not null default false, -- an operator accepts a comparison that found differences
  operator_paused_at bigint,
  comparison text,                         -- result of the comparison with the live generation
  kept_until bigint,                       -- a retired generation can be switched back to until then
  owned_since bigint,
  events_read bigint,                      -- the current window, from which the owner calculates its rates
  window_since bigint,
  window_folded bigint,
  window_events_read bigint,
  fold_rate double precision,
  read_rate double precision,
  last_event jsonb                         -- event at the checkpoint: stream, revision, id and position
);
create unique index generations_live on civic.generations (projection) where state = 'live';
create unique index generations_building on civic.generations (projection) where state = 'building';

-- Versions of records that erasures changed, in each generation of the record history. A snapshot that shows one of
-- them has changed, so its reader must start again.
create table civic.erased_versions (
  generation integer not null references civic.generations on delete cascade,
  position bigint not null,                -- feed position of the version
  resource text collate "C" not null,
  erasure bigint not null,                 -- number of the last erasure that changed it
  primary key (generation, position)
);

-- Feed position up to which superseded rows might be pruned. It never falls.
create table civic.feed_retention (
  singleton boolean primary key default true check (singleton),
  pruned_through bigint not null
);

create function civic.refuse_falling_pruned_through() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or new.pruned_through < old.pruned_through then
    raise exception 'pruned_through never falls' using errcode = 'CR002';
  end if;
  return new;
end
$$;

create trigger feed_retention_grows before update or delete on civic.feed_retention
  for each row execute function civic.refuse_falling_pruned_through();

-- Fails a statement that was built for a generation that is no longer the live one.
create function civic.require_live(wanted text, number integer) returns boolean language plpgsql stable as $$
begin
  if not exists (select from civic.projections where name = wanted and live_generation = number) then
    raise exception 'generation % of % is not the live one', number, wanted using errcode = 'CR001';
  end if;
  return true;
end
$$;

-- Checkpoint, lease and pause of each reactor and each job. A rebuild of read models does not change these rows.
create table civic.processors (
  name text collate "C" primary key,
  log_id uuid,
  checkpoint text collate "C" not null default '',
  handled bigint not null default 0,
  owner text,
  token bigint not null default 0,
  lease_until bigint not null default 0,
  paused_reason text,
  paused_event uuid,
  last_event jsonb,                        -- as in civic.generations
  due_at bigint                            -- when a job runs next, by the lease clock; null for a reactor
);

-- Progress in each partition of a Kafka topic of record changes, and the batch that was begun but not finished.
create table civic.inlet_parts (
  topic text collate "C" not null,
  partition integer not null,
  token bigint not null,                   -- of the last owner; grows
  next_offset bigint not null default 0,
  command_id uuid,                         -- of the batch that was begun
  claim_to bigint,                         -- its last offset
  revisions jsonb not null default '{}',
  primary key (topic, partition)
);

-- Agenda items without hits because the classifier ran out of time or failed. They are tried again only after the item,
-- the topics or the classifier has changed.
create table civic.unclassified_items (
  item_id uuid primary key,
  classifier text not null,
  digest text not null,                    -- SHA-256 of the item and the topics
  reason text not null,
  failed_at bigint not null
);

-- Documents -------------------------------------------------------------------

-- Text of documents as sources served them. They are copies, not facts of the log: an erasure of a record deletes the
-- copies that it was published from.
create table civic.document_texts (
  sha256 text collate "C" primary key check (sha256 ~ '^[0-9a-f]{64}$'),   -- of the file
  bytes bigint not null,
  media_type text,
  text text not null,
  agenda jsonb not null,                   -- items and facts that the rules of this version read in the document
  reading_version integer not null,
  record_ids uuid[] not null default '{}', -- records that were published from this version
  meeting_id uuid,                         -- the meeting that last showed the document, for earlier versions
  words tsvector,                          -- of the beginning of the text
  meeting_ids uuid[]                       -- the meetings that show the document; null in rows of earlier versions
);
create index document_texts_by_word on civic.document_texts using gin (words);

-- The version that each address served last, with the headers that show whether it has changed.
create table civic.document_addresses (
  address text collate "C" primary key check (octet_length(address) <= 2000),
  sha256 text collate "C" not null references civic.document_texts on delete cascade,
  etag text,
  last_modified text,
  checked_at bigint not null               -- milliseconds since the epoch
);
create index document_addresses_by_version on civic.document_addresses (sha256);

-- Results of the last sync of each source. Each sync replaces its row, and no record depends on it: it is not in a
-- backup.
create table civic.source_checks (
  source_key text collate "C" primary key,
  source_ids uuid[] not null,              -- the `sources` records that it checked
  checked_at bigint not null,              -- milliseconds since the epoch
  failure text,
  reasons jsonb not null,                  -- the most frequent reasons of rows that it left out, with their counts
  failures integer not null default 0      -- syncs in a row that could not read the source as a whole
);

-- Installation ----------------------------------------------------------------

-- Identifies the database and its log. Each start compares it, to detect a restored dump or a database that belongs to
-- another log. Empty before the first start.
create table civic.installation (
  singleton boolean primary key default true check (singleton),
  database text collate "C" not null,      -- server and database; empty where the user cannot read them
  timeline text collate "C" not null,      -- of the write-ahead log; changes with point-in-time recovery and failover
  log_id uuid not null,
  renewing text,                           -- why the feed is getting a new identity; null otherwise
  backup_made_at bigint                    -- when the newest verified backup was made; null before the first
);

-- Events that the log lost after a process had read them: one row for each pair of positions, open until acknowledged.
create table civic.history_set_backs (
  held text collate "C" not null,          -- position that the process had read
  head text collate "C" not null,          -- head of the log when this was noticed
  noticed_at bigint not null,
  acknowledged_at bigint,
  primary key (held, head)
);

-- The clock of a trial: when it started, and its offset from the clock of the machine. No row means no offset.
create table civic.trial_clock (
  singleton boolean primary key default true check (singleton),
  started_at bigint not null,
  offset_ms bigint not null
);

-- Counters --------------------------------------------------------------------
-- Counts are in unlogged tables: a crash of the server resets them, and no count waits for the disk.

-- Requests to the public endpoints, as each process counted them.
create unlogged table civic.public_counts (
  window_start bigint not null,
  counted text collate "C" not null,       -- an operation and a client address
  process uuid not null,
  requests bigint not null,
  primary key (window_start, counted, process)
);

-- Units that each account has used in a named window.
create unlogged table civic.window_counts (
  account_id uuid not null,
  name text collate "C" not null,
  window_start bigint not null,
  used bigint not null,
  primary key (account_id, name)
) with (fillfactor = 50);

-- All counters that admission needs for an account, in one row for its usable keys and one for the others, so that a
-- request costs one lock and one write. Requests with keys that are not usable do not reach minute and burst.
create unlogged table civic.admission_counts (
  account_id uuid not null,
  usable boolean not null,
  perimeter_ceiling_start bigint not null default 0,
  perimeter_ceiling_used bigint not null default 0,
  perimeter_burst_start bigint not null default 0,
  perimeter_burst_used bigint not null default 0,
  handler_ceiling_start bigint not null default 0,
  handler_ceiling_used bigint not null default 0,
  handler_burst_start bigint not null default 0,
  handler_burst_used bigint not null default 0,
  minute_start bigint not null default 0,
  minute_used bigint not null default 0,
  burst_start bigint not null default 0,
  burst_used bigint not null default 0,
  primary key (account_id, usable)
) with (fillfactor = 50);

-- Time at which each secret of a key was last used; written at most once an hour. Neither in the log nor in backups.
create table civic.key_uses (
  sha256 text collate "C" primary key,
  used_at bigint not null
);

-- Time at which each key last read the feed; a process writes it at most once a minute. Neither in the log nor in
-- backups.
create table civic.feed_reads (
  key_id uuid primary key,
  read_at bigint not null,
  unread_since bigint                      -- time of the first change after the cursor; null at the head of the feed
);

-- Returns the start of the window that is open at `moment`. A window never goes back: a process whose clock is ahead
-- opens the next window for all. A start that is further ahead than the window is long (at least two seconds, at most a
-- minute) dates from before the clock was set back and is ignored.
create function civic.window_at(kept bigint, moment bigint, length bigint) returns bigint
  language sql immutable parallel safe
  return case when kept >= moment - moment % length and kept <= moment + least(60000, greatest(length, 2000))
    then kept else moment - moment % length end;

-- Takes the units from every bucket or from none. Returns one row for each bucket, in the order of `names`: whether the
-- units were taken, what is used now, and when the window ends.
create function civic.take_units(
  account uuid, names text[], limits bigint[], lengths bigint[], units bigint, moment bigint
) returns table (taken boolean, now_used bigint, ends bigint) language plpgsql as $$
begin
  insert into civic.window_counts (account_id, name, window_start, used)
    select account, n, 0, 0 from unnest(names) n
    where not exists (select from civic.window_counts c where c.account_id = account and c.name = n)
    order by n on conflict do nothing;
  -- The rows are locked in the order of their names, which prevents deadlocks.
  perform from civic.window_counts c
    where c.account_id = account and c.name = any(names) order by c.name for update;
  return query
    with kept as (
      select b.nth, b.name, b.most, b.length, c.window_start, c.used,
        civic.window_at(c.window_start, moment, b.length) as start
      from unnest(names, limits, lengths) with ordinality b(name, most, length, nth)
      join civic.window_counts c on c.account_id = account and c.name = b.name
    ), here as (
      select k.nth, k.name, k.most, k.start, k.start + k.length as ends,
        case when k.start = k.window_start then k.used else 0 end as used
      from kept k
    ), verdict as (
      select bool_and(h.used + units <= h.most) as room from here h
    ), written as (
      update civic.window_counts c set window_start = h.start, used = h.used + units
      from here h, verdict v where v.room and c.account_id = account and c.name = h.name
    )
    select v.room, h.used + case when v.room then units else 0 end, h.ends
    from here h, verdict v
    order by h.nth;
end
$$;

-- Charges requests of one key to three pairs of counters: the abuse ceiling of received requests (`perimeter`), the
-- abuse ceiling of handled requests (`handler`), and the allowances (minute and burst). A pair counts only the requests
-- that the previous pair admitted. The two names stay, because during an upgrade processes of an older version call
-- this function; the program names its results `receivedCeiling` and `handledCeiling`.
--   covered: whether the abuse ceiling applies to the requests.
--   admissible: whether the key can use its allowances. Each request takes `units` from both or from neither.
--   ceilings: limit and length of four windows: perimeter, perimeter burst, handler, handler burst. Can be empty.
-- Returns how many requests passed each pair, when a pair that refused some opens again, and what is left of the
-- allowances. Initials name the counters inside: pc is the ceiling of the perimeter, hb the burst of the handler.
create function civic.admit_requests(
  account uuid, usable_key boolean, covered boolean, admissible boolean, requests bigint, units bigint, moment bigint,
  ceilings bigint[], minute_limit bigint, burst_limit bigint,
  out past_perimeter bigint, out past_handler bigint, out allowed bigint,
  out perimeter_opens bigint, out handler_opens bigint, out allowance_opens bigint,
  out minute_left bigint, out minute_ends bigint, out burst_left bigint, out burst_ends bigint
) language plpgsql as $$
begin
  past_perimeter := requests;
  past_handler := requests;
  allowed := 0;
  if not covered and not admissible then return; end if;
  loop
    -- One statement: PL/pgSQL prepares every expression outside a statement again in each transaction.
    -- "offset 0" keeps PostgreSQL from copying the expressions of a step into each place that uses them.
    with counts as (
      select * from civic.admission_counts where account_id = account and usable = usable_key for update
    ),
    -- When the current window of each counter began. Without ceilings the window is null, and the old start stays.
    windows as (
      select *,
        coalesce(civic.window_at(perimeter_ceiling_start, moment, ceilings[2]), perimeter_ceiling_start) as pc_start,
        coalesce(civic.window_at(perimeter_burst_start, moment, ceilings[4]), perimeter_burst_start) as pb_start,
        coalesce(civic.window_at(handler_ceiling_start, moment, ceilings[6]), handler_ceiling_start) as hc_start,
        coalesce(civic.window_at(handler_burst_start, moment, ceilings[8]), handler_burst_start) as hb_start,
        civic.window_at(minute_start, moment, 60000) as m_start,
        civic.window_at(burst_start, moment, 1000) as b_start
      from counts
    ),
    -- What each counter has used in its current window.
    used as (
      select pc_start, pb_start, hc_start, hb_start, m_start, b_start,
        case when pc_start = perimeter_ceiling_start then perimeter_ceiling_used else 0 end as pc_used,
        case when pb_start = perimeter_burst_start then perimeter_burst_used else 0 end as pb_used,
        case when hc_start = handler_ceiling_start then handler_ceiling_used else 0 end as hc_used,
        case when hb_start = handler_burst_start then handler_burst_used else 0 end as hb_used,
        case when m_start = minute_start then minute_used else 0 end as m_used,
        case when b_start = burst_start then burst_used else 0 end as b_used
      from windows offset 0
    ),
    -- The perimeter counts every request, also those that it refuses.
    perimeter as (
      select *,
        case when covered then requests else 0 end as at_perimeter,
        case when covered then greatest(0, least(requests, ceilings[1] - pc_used, ceilings[3] - pb_used))
          else requests end as through_perimeter
      from used offset 0
    ),
    -- The handler counts every request that passed the perimeter.
    handler as (
      select *,
        case when covered then through_perimeter else 0 end as at_handler,
        case when covered then greatest(0, least(through_perimeter, ceilings[5] - hc_used, ceilings[7] - hb_used))
          else through_perimeter end as through_handler
      from perimeter offset 0
    ),
    -- The allowances count only the requests that they allow.
    allowance as (
      select *,
        case when admissible
          then greatest(0, least(through_handler, (minute_limit - m_used) / units, (burst_limit - b_used) / units))
          else 0 end as granted
      from handler offset 0
    ),
    charged as (
      select pc_start, pb_start, hc_start, hb_start, m_start, b_start, through_perimeter, through_handler, granted,
        pc_used + at_perimeter as pc_used, pb_used + at_perimeter as pb_used,
        hc_used + at_handler as hc_used, hb_used + at_handler as hb_used,
        m_used + granted * units as m_used, b_used + granted * units as b_used
      from allowance
    )
    update civic.admission_counts a set
      perimeter_ceiling_start = n.pc_start, perimeter_ceiling_used = n.pc_used,
      perimeter_burst_start = n.pb_start, perimeter_burst_used = n.pb_used,
      handler_ceiling_start = n.hc_start, handler_ceiling_used = n.hc_used,
      handler_burst_start = n.hb_start, handler_burst_used = n.hb_used,
      minute_start = n.m_start, minute_used = n.m_used,
      burst_start = n.b_start, burst_used = n.b_used
    from charged n
    where a.account_id = account and a.usable = usable_key
    returning
      n.through_perimeter, n.through_handler, n.granted,
      greatest(
        case when n.pc_used > ceilings[1] then n.pc_start + ceilings[2] end,
        case when n.pb_used > ceilings[3] then n.pb_start + ceilings[4] end),
      greatest(
        case when n.hc_used > ceilings[5] then n.hc_start + ceilings[6] end,
        case when n.hb_used > ceilings[7] then n.hb_start + ceilings[8] end),
      greatest(
        case when minute_limit - n.m_used < units then n.m_start + 60000 end,
        case when burst_limit - n.b_used < units then n.b_start + 1000 end),
      greatest(0, minute_limit - n.m_used), n.m_start + 60000,
      greatest(0, burst_limit - n.b_used), n.b_start + 1000
    into past_perimeter, past_handler, allowed, perimeter_opens, handler_opens, allowance_opens,
      minute_left, minute_ends, burst_left, burst_ends;
    exit when found;
    insert into civic.admission_counts (account_id, usable) values (account, usable_key) on conflict do nothing;
  end loop;
end
$$;

-- Reports ---------------------------------------------------------------------

-- Leases of reports: the holder and the end of the lease. The token grows with every takeover; a closed report has no
-- row.
create table civic.report_leases (
  report_id uuid primary key,
  holder text collate "C",
  token bigint not null default 0,
  lease_until bigint not null default 0
);
create index report_leases_by_holder on civic.report_leases (holder) where holder is not null;

-- Investigations begun on each day, counted in days since the epoch.
create table civic.report_budget (
  day bigint primary key,
  begun bigint not null
);

-- Open missing-data reports of all accounts and those that are being submitted, in one row: every submission locks it.
create table civic.report_queue (
  singleton boolean primary key default true check (singleton),
  counted bigint,                          -- open reports as the read model counts them; null before the first count
  recounts bigint not null default 0,
  reserved jsonb not null default '{}'     -- report id to the time until which its request has a reservation
);

-- Requests of client addresses to the report operations. Unlogged, as the counters.
create unlogged table civic.report_client_counts (
  window_start bigint not null,
  client uuid not null,                    -- derived from an operation and an address
  used bigint not null,
  primary key (window_start, client)
);

-- Tokens from which a report is being made right now. Unlogged: the stream of the account records what a token became.
create unlogged table civic.report_claims (
  account_id uuid not null,
  token_key text collate "C" not null,
  claimed_by uuid not null,
  claimed_until bigint not null,
  primary key (account_id, token_key)
);

-- Acquires the lease of a report, or renews it for its holder. An acquisition uses one investigation of today's budget.
--   above: the highest token on the stream of the report. The new token is higher, even if this table was lost.
-- Every caller locks the row of the lease before the row of the budget.
create function civic.take_report_lease(
  report uuid, wanted_by text, moment bigint, until bigint, above bigint, today bigint, budget bigint,
  out outcome text, out held_by text, out fencing_token bigint, out held_until bigint
) language plpgsql as $$
declare
  lease civic.report_leases;
begin
  loop
    select * into lease from civic.report_leases l where l.report_id = report for update;
    exit when found;
    insert into civic.report_leases (report_id) values (report) on conflict do nothing;
  end loop;
  if lease.holder is not null and lease.lease_until > moment and lease.token >= above then
    if lease.holder = wanted_by then
      update civic.report_leases l set lease_until = greatest(l.lease_until, until)
        where l.report_id = report returning * into lease;
      outcome := 'renewed';
    else
      outcome := 'held';
    end if;
  else
    insert into civic.report_budget as b (day, begun) values (today, 1)
      on conflict (day) do update set begun = b.begun + 1 where b.begun < budget;
    if found then
      update civic.report_leases l set holder = wanted_by, token = greatest(l.token, above) + 1, lease_until = until
        where l.report_id = report returning * into lease;
      delete from civic.report_budget b where b.day < today - 31;
      outcome := 'taken';
    else
      outcome := 'exhausted';
    end if;
  end if;
  held_by := lease.holder;
  fencing_token := lease.token;
  held_until := lease.lease_until;
end
$$;

-- Payments --------------------------------------------------------------------

-- One row for each payment authorization: a payer on a network and its nonce.
create table civic.payments (
  payment_id uuid primary key,
  network text collate "C" not null,
  asset text collate "C" not null,
  payer text collate "C" not null,
  nonce text collate "C" not null,
  account_id uuid not null,
  key_id uuid not null,
  tool text collate "C" not null,
  request_hash text collate "C" not null,
  terms_hash text collate "C" not null,
  price_version text collate "C" not null,
  amount numeric(78, 0) not null check (amount > 0), -- in the smallest unit of the asset
  pay_to text collate "C" not null,
  valid_before bigint not null,            -- by the clock of the chain, as the lease
  budget_day date not null,
  state text not null,
  lease_owner uuid,
  lease_until bigint,
  payload text,                            -- the signed authorization: a secret, deleted once settled or lapsed
  result text,
  result_hash text collate "C",
  cause text,
  tx_hash text collate "C",
  receipt text,
  settle_attempts integer not null default 0,
  look_at bigint not null default 0,       -- when an unknown outcome is looked up next
  created_at bigint not null,
  updated_at bigint not null,
  settled_at bigint,
  facts_after bigint not null,             -- revision of the account's stream before the first event about this payment
  verified_told boolean not null default false, -- the account's stream has the event about the verification
  outcome_told boolean not null default false,  -- the account's stream has the event about the outcome
  constraint payments_once unique (network, asset, payer, nonce),
  constraint payments_lower_case check (asset = lower(asset) and payer = lower(payer) and nonce = lower(nonce)),
  constraint payments_state check (state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING', 'SETTLED',
    'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED', 'RECONCILE')),
  constraint payments_lease check ((lease_owner is null) = (lease_until is null)),
  constraint payments_lease_state check (
    case when state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') then lease_owner is not null
      when state = 'RECONCILE' then true
      else lease_owner is null end),
  constraint payments_payload check (
    (payload is not null) = (state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING', 'RECONCILE'))),
  constraint payments_result check (
    case when state in ('RESULT_SAVED', 'SETTLING', 'RECONCILE') then result is not null and result_hash is not null
      when state = 'SETTLED' then result_hash is not null
      else result is null end),
  constraint payments_result_bytes check (octet_length(result) <= 16384),
  constraint payments_settled check (
    case when state = 'SETTLED' then settled_at is not null and tx_hash is not null
      else settled_at is null and receipt is null end),
  constraint payments_written_ahead check (
    state not in ('SETTLING', 'SETTLED', 'SETTLE_FAILED', 'RECONCILE') or settle_attempts > 0),
  constraint payments_not_billed_cause check (
    state not in ('READ_FAILED', 'SETTLE_FAILED', 'LAPSED', 'RECONCILE') or cause is not null)
);
create index payments_unfinished on civic.payments (lease_until)
  where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING');
create index payments_unknown on civic.payments (look_at) where state = 'RECONCILE';
create index payments_untold on civic.payments (updated_at)
  where (not verified_told and state <> 'RESERVED')
    or (not outcome_told and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED'));
create index payments_kept on civic.payments (settled_at) where state = 'SETTLED' and result is not null;
create index payments_by_time on civic.payments (created_at);

-- Permits only the transitions of a payment. A row that has ended allows only two changes: its saved result is deleted,
-- or its two flags are set.
create function civic.refuse_payment_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.state not in ('RESERVED', 'VERIFIED') then
      raise exception 'a payment that is % is never forgotten', old.state using errcode = 'CR003';
    end if;
    return old;
  end if;
  if (new.payment_id, new.network, new.asset, new.payer, new.nonce, new.account_id, new.key_id, new.tool,
      new.request_hash, new.terms_hash, new.price_version, new.amount, new.pay_to, new.valid_before,
      new.budget_day, new.created_at, new.facts_after)
    is distinct from
     (old.payment_id, old.network, old.asset, old.payer, old.nonce, old.account_id, old.key_id, old.tool,
      old.request_hash, old.terms_hash, old.price_version, old.amount, old.pay_to, old.valid_before,
      old.budget_day, old.created_at, old.facts_after) then
    raise exception 'what a payment is for never changes' using errcode = 'CR003';
  end if;
  if new.state <> old.state and not (
    case old.state
      when 'RESERVED' then new.state in ('VERIFIED')
      when 'VERIFIED' then new.state in ('RESULT_SAVED', 'READ_FAILED', 'READ_EMPTY')
      when 'RESULT_SAVED' then new.state in ('SETTLING', 'LAPSED')
      when 'SETTLING' then new.state in ('SETTLED', 'SETTLE_FAILED', 'RECONCILE')
      when 'RECONCILE' then new.state in ('SETTLED', 'SETTLE_FAILED')
      else false
    end) then
    raise exception 'a payment that is % does not become %', old.state, new.state using errcode = 'CR003';
  end if;
  if new.state = 'SETTLING' and old.state <> 'SETTLING' and new.updated_at >= new.valid_before then
    raise exception 'nothing is settled after it was valid' using errcode = 'CR003';
  end if;
  if new.state = 'LAPSED' and old.state <> 'LAPSED' and new.updated_at < new.valid_before then
    raise exception 'a payment that is still valid has not lapsed' using errcode = 'CR003';
  end if;
  if new.settle_attempts < old.settle_attempts then
    raise exception 'attempts are not taken back' using errcode = 'CR003';
  end if;
  if old.result is not null and new.result is not null and new.result is distinct from old.result then
    raise exception 'a saved result never changes' using errcode = 'CR003';
  end if;
  if old.state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED') and
     (new.result_hash, new.cause, new.tx_hash, new.settled_at, new.settle_attempts)
     is distinct from (old.result_hash, old.cause, old.tx_hash, old.settled_at, old.settle_attempts) then
    raise exception 'a payment that has ended never changes' using errcode = 'CR003';
  end if;
  return new;
end
$$;

create trigger payments_go_forward before update or delete on civic.payments
  for each row execute function civic.refuse_payment_change();

-- Amount reserved or settled on a day by an account, or by all accounts together (`spender` is then 'service').
create table civic.payment_budgets (
  day date not null,
  spender text collate "C" not null,
  reserved numeric(78, 0) not null check (reserved >= 0),
  primary key (day, spender)
);

-- The account of each wallet: the account that first settled a payment with it.
create table civic.payment_wallets (
  network text collate "C" not null,
  payer text collate "C" not null check (payer = lower(payer)),
  account_id uuid,
  barred boolean not null default false,
  changed_at bigint not null,
  primary key (network, payer)
);

-- Search ----------------------------------------------------------------------

-- Finds similar words for misspelled ones. The two functions that use the extension name the schema in which it is.
create extension if not exists pg_trgm with schema civic;

-- Removes accents and ligatures, so that both spellings of a word match.
create function civic.plain_text(given text) returns text language sql immutable parallel safe as $$
  select case when octet_length(given) = char_length(given) then given
    else normalize(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]+', '', 'g'), NFC) end
$$;

create function civic.index_near_words(words regclass, index_name text) returns void language plpgsql
  set search_path = civic, pg_catalog as $$
begin
  execute format('create index %I on %s using gin (word gin_trgm_ops)', index_name, words);
end
$$;

-- Returns the words of a table that are similar to `given`, the most similar first.
create function civic.near_words(words regclass, given text, most integer)
  returns table (word text, likeness real, records bigint) language plpgsql stable
  set search_path = civic, pg_catalog as $$
begin
  return query execute format(
    'select w.word, similarity(w.word, $1), w.records from %s w where w.word %% $1 order by 2 desc, 3 desc, 1 limit $2',
    words
  ) using given, most;
end
$$;
