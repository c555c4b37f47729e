-- Rewrites admit_requests in named steps. Parameters and results are the same, so older processes can run beside it.
-- infra/postgresql/schema.sql explains them.
create or replace function civic.admit_requests(
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
