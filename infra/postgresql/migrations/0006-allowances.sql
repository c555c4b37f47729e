-- What accounts have used in windows of time. Lost in a crash of the server, which only opens the windows of that moment again; no commit
-- of a count waits for the disk.

-- A window never goes back: one that another process has opened by a clock a little ahead is the window for all. One that lies further
-- ahead than clocks may differ was opened before the clock was put back, and counts for nothing.
create function civic.window_at(kept bigint, moment bigint, length bigint) returns bigint language sql immutable parallel safe
  return case when kept >= moment - moment % length and kept <= moment + 60000 then kept else moment - moment % length end;

create unlogged table civic.window_counts (
  account_id uuid not null,
  name text collate "C" not null,
  window_start bigint not null,
  used bigint not null,
  primary key (account_id, name)
) with (fillfactor = 50);

-- Takes the units from every bucket or from none. One row a bucket, in the order asked: whether they were taken, what is used now, and
-- when the window ends.
create function civic.take_units(account uuid, names text[], limits bigint[], lengths bigint[], units bigint, moment bigint)
returns table (taken boolean, now_used bigint, ends bigint) language plpgsql as $$
begin
  insert into civic.window_counts (account_id, name, window_start, used)
    select account, n, 0, 0 from unnest(names) n
    where not exists (select from civic.window_counts c where c.account_id = account and c.name = n)
    order by n on conflict do nothing;
  -- By name, so that of two that take from the same buckets one waits for the other, never both.
  perform from civic.window_counts c where c.account_id = account and c.name = any(names) order by c.name for update;
  return query
    with kept as (
      select b.nth, b.name, b.most, b.length, c.window_start, c.used, civic.window_at(c.window_start, moment, b.length) as start
      from unnest(names, limits, lengths) with ordinality b(name, most, length, nth)
      join civic.window_counts c on c.account_id = account and c.name = b.name
    ), here as (
      select k.nth, k.name, k.most, k.start, k.start + k.length as ends, case when k.start = k.window_start then k.used else 0 end as used from kept k
    ), verdict as (
      select bool_and(h.used + units <= h.most) as room from here h
    ), written as (
      update civic.window_counts c set window_start = h.start, used = h.used + units
      from here h, verdict v where v.room and c.account_id = account and c.name = h.name
    )
    select v.room, h.used + case when v.room then units else 0 end, h.ends from here h, verdict v order by h.nth;
end
$$;

-- All counters that admission needs of an account, in one row for each class of its keys, so that one lock and one write do for a request.
-- Only usable keys get as far as the minute and the burst.
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

-- Takes requests of one key through the counters in their order: perimeter, handler, then minute and burst together, each of which sees
-- only what the one before let through. Answers how many got past each, when what refused the others opens again, and what is used now.
--   covered: whether the abuse ceiling applies; ceilings: units and milliseconds of the perimeter's ceiling and burst, then the handler's.
--   admissible: whether the key may get as far as the allowances, each request taking `units` of both or none of either.
create function civic.admit_requests(
  account uuid, usable_key boolean, covered boolean, admissible boolean, requests bigint, units bigint, moment bigint,
  ceilings bigint[], minute_limit bigint, burst_limit bigint,
  out past_perimeter bigint, out past_handler bigint, out allowed bigint,
  out perimeter_opens bigint, out handler_opens bigint, out allowance_opens bigint,
  out minute_left bigint, out minute_ends bigint, out burst_left bigint, out burst_ends bigint
) language plpgsql as $$
declare
  c civic.admission_counts;
  start bigint;
begin
  past_perimeter := requests;
  past_handler := requests;
  allowed := 0;
  if not covered and not admissible then return; end if;
  select * into c from civic.admission_counts a where a.account_id = account and a.usable = usable_key for update;
  if not found then
    insert into civic.admission_counts (account_id, usable) values (account, usable_key) on conflict do nothing;
    select * into c from civic.admission_counts a where a.account_id = account and a.usable = usable_key for update;
  end if;

  if covered then
    start := civic.window_at(c.perimeter_ceiling_start, moment, ceilings[2]);
    if start <> c.perimeter_ceiling_start then c.perimeter_ceiling_start := start; c.perimeter_ceiling_used := 0; end if;
    start := civic.window_at(c.perimeter_burst_start, moment, ceilings[4]);
    if start <> c.perimeter_burst_start then c.perimeter_burst_start := start; c.perimeter_burst_used := 0; end if;
    past_perimeter := greatest(0, least(requests, ceilings[1] - c.perimeter_ceiling_used, ceilings[3] - c.perimeter_burst_used));
    c.perimeter_ceiling_used := c.perimeter_ceiling_used + requests;
    c.perimeter_burst_used := c.perimeter_burst_used + requests;
    perimeter_opens := greatest(
      case when c.perimeter_ceiling_used > ceilings[1] then c.perimeter_ceiling_start + ceilings[2] end,
      case when c.perimeter_burst_used > ceilings[3] then c.perimeter_burst_start + ceilings[4] end);

    start := civic.window_at(c.handler_ceiling_start, moment, ceilings[6]);
    if start <> c.handler_ceiling_start then c.handler_ceiling_start := start; c.handler_ceiling_used := 0; end if;
    start := civic.window_at(c.handler_burst_start, moment, ceilings[8]);
    if start <> c.handler_burst_start then c.handler_burst_start := start; c.handler_burst_used := 0; end if;
    past_handler := greatest(0, least(past_perimeter, ceilings[5] - c.handler_ceiling_used, ceilings[7] - c.handler_burst_used));
    c.handler_ceiling_used := c.handler_ceiling_used + past_perimeter;
    c.handler_burst_used := c.handler_burst_used + past_perimeter;
    handler_opens := greatest(
      case when c.handler_ceiling_used > ceilings[5] then c.handler_ceiling_start + ceilings[6] end,
      case when c.handler_burst_used > ceilings[7] then c.handler_burst_start + ceilings[8] end);
  end if;

  if admissible then
    start := civic.window_at(c.minute_start, moment, 60000);
    if start <> c.minute_start then c.minute_start := start; c.minute_used := 0; end if;
    start := civic.window_at(c.burst_start, moment, 1000);
    if start <> c.burst_start then c.burst_start := start; c.burst_used := 0; end if;
    allowed := greatest(0, least(past_handler, (minute_limit - c.minute_used) / units, (burst_limit - c.burst_used) / units));
    c.minute_used := c.minute_used + allowed * units;
    c.burst_used := c.burst_used + allowed * units;
    minute_left := greatest(0, minute_limit - c.minute_used);
    minute_ends := c.minute_start + 60000;
    burst_left := greatest(0, burst_limit - c.burst_used);
    burst_ends := c.burst_start + 1000;
    allowance_opens := greatest(
      case when minute_left < units then minute_ends end,
      case when burst_left < units then burst_ends end);
  end if;

  update civic.admission_counts a set
    perimeter_ceiling_start = c.perimeter_ceiling_start, perimeter_ceiling_used = c.perimeter_ceiling_used,
    perimeter_burst_start = c.perimeter_burst_start, perimeter_burst_used = c.perimeter_burst_used,
    handler_ceiling_start = c.handler_ceiling_start, handler_ceiling_used = c.handler_ceiling_used,
    handler_burst_start = c.handler_burst_start, handler_burst_used = c.handler_burst_used,
    minute_start = c.minute_start, minute_used = c.minute_used, burst_start = c.burst_start, burst_used = c.burst_used
    where a.account_id = account and a.usable = usable_key;
end
$$;
