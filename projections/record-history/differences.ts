import type { Statement } from '../../domain/ports/database.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from './tables.ts';

/**
 * At a switch both builds must agree on head, identity, time, chain, outline, fingerprint and every total: together they fix every change ever published,
 * but for the content of versions that were superseded before the last erasure; that is compared row by row.
 */
function statesDiffer(left: number, right: number): Statement {
  const [one, other] = [RECORD_HISTORY.at(left), RECORD_HISTORY.at(right)];
  const content = ({ state, totals }: typeof one) =>
    `(select 'state' as what, head::text || ' ' || coalesce(feed_id::text, '') || ' ' || changed_at::text || ' ' || chain as content from ${state}
     union all select resource, records::text || ' ' || digest from ${totals} where records > 0)`;
  return {
    // A build of the first version has no outline, one of the second no fingerprint.
    text: `(${content(one)} except ${content(other)}) union all (${content(other)} except ${content(one)})
      union all select n.what, l.state->>n.what || ' ' || (r.state->>n.what)
        from (select to_jsonb(s) as state from ${one.state} s) l, (select to_jsonb(s) as state from ${other.state} s) r,
          unnest(array['outline', 'fingerprint']) as n(what)
        where l.state->>n.what <> r.state->>n.what
      limit 3`,
    values: [],
  };
}

/** Row by row in what both retain, up to the head that both have reached. */
function rowsDiffer(left: number, right: number): Statement {
  const [one, other] = [RECORD_HISTORY.at(left), RECORD_HISTORY.at(right)];
  const retained = (history: string) =>
    `select h.position, h.resource, h.record_id, h.version, h.removed, h.changed_at, h.digest, h.envelope, h.body,
       case when h.superseded_at > b.head then ${NOT_SUPERSEDED} else h.superseded_at end as superseded_at
     from ${history} h, bound b where h.position <= b.head and h.superseded_at > b.pruned_through`;
  return {
    text: `with bound as materialized (
        select least(l.head, r.head) as head, f.pruned_through from ${one.state} l, ${other.state} r, civic.feed_retention f
      )
      select coalesce(a.position, b.position)::text, coalesce(a.resource, b.resource), coalesce(a.record_id, b.record_id)::text
      from (${retained(one.history)}) a full join (${retained(other.history)}) b on a.position = b.position
      where a is distinct from b limit 3`,
    values: [],
  };
}

/** Differences between two builds of the record history, at most three per statement. */
export const historyDifferences = (left: number, right: number, depth: 'switch' | 'rows'): readonly Statement[] =>
  depth === 'switch' ? [statesDiffer(left, right)] : [rowsDiffer(left, right)];
