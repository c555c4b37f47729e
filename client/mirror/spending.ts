/** Differences between the databases that matter for facts. */
export interface FactDialect {
  /** Returns SQL for the day of a time in a time zone. */
  readonly localDay: (time: string, zone: string) => string;
  /** Returns SQL for a table `f` with one row for each element of a JSON list; none for null. */
  readonly facts: (list: string) => string;
  /** Returns SQL for a field of the element in `f`. */
  readonly fact: (field: string) => string;
}

/**
 * Returns SQL for what governments approved to pay: one row for each file, with the only vendor and the one amount of the item that approved it
 * last. An item with several vendors, with amounts of which none is the sum of the others, or of a body that only recommends has no row.
 */
export const selectSpending = ({ localDay, facts, fact }: FactDialect): string => `with amounts as (
      select i.id, ${fact('role')} as role, ${fact('currency')} as currency, cast(${fact('value')} as numeric) as amount,
        case ${fact('role')} when 'change' then 1 when 'not_to_exceed' then 2 when 'total' then 3 else 4 end
          + case ${fact('field')} when 'title' then 0 else 4 end as place
      from agenda_items i cross join ${facts('i.amounts')} where ${fact('role')} <> 'per_unit'
    ), first_amounts as (
      select id, min(place) as place from amounts group by id
    ), one_amount as (
      select a.id, min(a.role) as role, min(a.currency) as currency, max(a.amount) as amount
      from (select distinct id, place, role, currency, amount from amounts) a
        join first_amounts f on f.id = a.id and f.place = a.place
      group by a.id having min(a.currency) = max(a.currency) and (count(*) = 1 or abs(sum(a.amount) - 2 * max(a.amount)) < 0.005)
    ), one_vendor as (
      select i.id, min(${fact('name')}) as vendor
      from agenda_items i cross join ${facts('i.parties')} where ${fact('role')} = 'vendor'
      group by i.id having count(distinct lower(${fact('name')})) = 1
    ), approved as (
      select i.id, b.name as body, ${localDay('m.starts_at', 'm.timezone')} as day, j.name as jurisdiction, j.slug as jurisdiction_slug,
        i.title, i.matter_file, i.source_url, i.meeting_id,
        row_number() over (partition by j.id, coalesce(i.matter_file, cast(i.id as text)) order by m.starts_at desc, i.sequence desc, i.id) as nth
      from agenda_items i join meetings m on m.id = i.meeting_id join public_bodies b on b.id = m.public_body_id
        join jurisdictions j on j.id = b.jurisdiction_id
      where i.outcome = 'approved' and b.acting_body_role <> 'recommending' and m.status not in ('cancelled', 'postponed')
    )
    select v.vendor, a.amount, a.role, p.body, p.day, a.currency, p.jurisdiction, p.jurisdiction_slug, p.title, p.matter_file, p.source_url,
      p.id as agenda_item_id, p.meeting_id
    from approved p join one_amount a on a.id = p.id join one_vendor v on v.id = p.id
    where p.nth = 1 and a.role <> 'revenue'
    order by p.day desc, a.amount desc, p.id`;

/** Hours from UTC in winter of the zones of the United States. */
const WINTER_HOURS = {
  'America/New_York': -5,
  'America/Chicago': -6,
  'America/Denver': -7,
  'America/Phoenix': -7,
  'America/Los_Angeles': -8,
  'America/Anchorage': -9,
  'Pacific/Honolulu': -10,
} as const;
const WITHOUT_SUMMER_TIME = `'America/Phoenix', 'Pacific/Honolulu'`;

/** Returns SQL of SQLite, which has no time zones, for the day of a time in a zone of the United States; null in another zone. */
export function localDayInSqlite(time: string, zone: string): string {
  const cases = Object.entries(WINTER_HOURS).map(([name, hours]) => `when '${name}' then '${hours} hours'`);
  const winter = `datetime(${time}, case ${zone} ${cases.join(' ')} end)`;
  const isSummer = `${zone} not in (${WITHOUT_SUMMER_TIME})
          and ${winter} >= datetime(strftime('%Y-03-08', ${winter}), 'weekday 0', '+2 hours')
          and ${winter} < datetime(strftime('%Y-11-01', ${winter}), 'weekday 0', '+1 hours')`;
  return `date(${winter}, case when ${isSummer} then '+1 hours' else '+0 hours' end)`;
}
