-- Who works on which report, until when. The token grows on every takeover; a row goes when its report is closed.
create table civic.report_leases (
  report_id uuid primary key,
  holder text collate "C",
  token bigint not null default 0,
  lease_until bigint not null default 0
);
comment on column civic.report_leases.lease_until is 'Milliseconds since the epoch, by the clock of the program.';

create index report_leases_by_holder on civic.report_leases (holder) where holder is not null;

-- Investigations begun on a day, counted in days since the epoch.
create table civic.report_budget (
  day bigint primary key,
  begun bigint not null
);

-- Takes the lease of a report, or renews it for whoever has it; begins an investigation of the day's budget where it is taken.
-- `above` is the highest token that the report's own stream has seen: the new one is higher, whatever became of this table.
-- The lease row is locked before the budget's, by everybody.
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
      update civic.report_leases l set lease_until = greatest(l.lease_until, until) where l.report_id = report returning * into lease;
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
