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
begin
  past_perimeter := requests;
  past_handler := requests;
  allowed := 0;
  if not covered and not admissible then return; end if;
  -- One statement for all of it: in a function each expression of its own is made ready anew in every transaction.
  loop
    update civic.admission_counts a set
      perimeter_ceiling_start = n.pc_start, perimeter_ceiling_used = n.pc_used + n.at_perimeter,
      perimeter_burst_start = n.pb_start, perimeter_burst_used = n.pb_used + n.at_perimeter,
      handler_ceiling_start = n.hc_start, handler_ceiling_used = n.hc_used + n.at_handler,
      handler_burst_start = n.hb_start, handler_burst_used = n.hb_used + n.at_handler,
      minute_start = n.m_start, minute_used = n.m_used + n.granted * units,
      burst_start = n.b_start, burst_used = n.b_used + n.granted * units
    from (
      select handler.*,
        case when admissible
          then greatest(0, least(handler.let_on, (minute_limit - handler.m_used) / units, (burst_limit - handler.b_used) / units))
          else 0 end as granted
      from (
        select perimeter.*, case when covered then perimeter.let_in else 0 end as at_handler,
          case when covered then greatest(0, least(perimeter.let_in, ceilings[5] - perimeter.hc_used, ceilings[7] - perimeter.hb_used))
            else perimeter.let_in end as let_on
        from (
          select used.*, case when covered then requests else 0 end as at_perimeter,
            case when covered then greatest(0, least(requests, ceilings[1] - used.pc_used, ceilings[3] - used.pb_used)) else requests end as let_in
          from (
            select pc_start, case when pc_start = perimeter_ceiling_start then perimeter_ceiling_used else 0 end as pc_used,
              pb_start, case when pb_start = perimeter_burst_start then perimeter_burst_used else 0 end as pb_used,
              hc_start, case when hc_start = handler_ceiling_start then handler_ceiling_used else 0 end as hc_used,
              hb_start, case when hb_start = handler_burst_start then handler_burst_used else 0 end as hb_used,
              m_start, case when m_start = minute_start then minute_used else 0 end as m_used,
              b_start, case when b_start = burst_start then burst_used else 0 end as b_used
            from (
              select c.*,
                coalesce(civic.window_at(c.perimeter_ceiling_start, moment, ceilings[2]), c.perimeter_ceiling_start) as pc_start,
                coalesce(civic.window_at(c.perimeter_burst_start, moment, ceilings[4]), c.perimeter_burst_start) as pb_start,
                coalesce(civic.window_at(c.handler_ceiling_start, moment, ceilings[6]), c.handler_ceiling_start) as hc_start,
                coalesce(civic.window_at(c.handler_burst_start, moment, ceilings[8]), c.handler_burst_start) as hb_start,
                civic.window_at(c.minute_start, moment, 60000) as m_start,
                civic.window_at(c.burst_start, moment, 1000) as b_start
              from civic.admission_counts c where c.account_id = account and c.usable = usable_key for update
            ) windows
          ) used offset 0
        ) perimeter offset 0
      ) handler offset 0
    ) n
    where a.account_id = account and a.usable = usable_key
    returning n.let_in, n.let_on, n.granted,
      greatest(
        case when n.pc_used + n.at_perimeter > ceilings[1] then n.pc_start + ceilings[2] end,
        case when n.pb_used + n.at_perimeter > ceilings[3] then n.pb_start + ceilings[4] end),
      greatest(
        case when n.hc_used + n.at_handler > ceilings[5] then n.hc_start + ceilings[6] end,
        case when n.hb_used + n.at_handler > ceilings[7] then n.hb_start + ceilings[8] end),
      greatest(
        case when minute_limit - a.minute_used < units then n.m_start + 60000 end,
        case when burst_limit - a.burst_used < units then n.b_start + 1000 end),
      greatest(0, minute_limit - a.minute_used), n.m_start + 60000, greatest(0, burst_limit - a.burst_used), n.b_start + 1000
    into past_perimeter, past_handler, allowed, perimeter_opens, handler_opens, allowance_opens, minute_left, minute_ends, burst_left, burst_ends;
    exit when found;
    insert into civic.admission_counts (account_id, usable) values (account, usable_key) on conflict do nothing;
  end loop;
end
$$;
