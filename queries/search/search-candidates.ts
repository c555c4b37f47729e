import { AGENDA_SEARCH, WEIGHT } from '../../projections/agenda-search/tables.ts';
import type { SearchCursor } from '../../domain/cursor.ts';
import type { Statement, StatementValue } from '../../domain/ports/database.ts';
import { tablesOf } from '../live-tables.ts';
import { LEXEME } from './composed-query.ts';
import { excerptPart, type Highlight } from './excerpt-part.ts';
import type { AmountRange } from './question/amounts.ts';
import { MAX_CANDIDATES, pageOf, rankedItems, type Ranking, withLaterEntries } from './ranked-page.ts';
import type { SearchWindow } from './search-windows.ts';

/** Queries are texts as the database writes them. */
interface CandidateSearch
  extends Pick<Ranking, 'query' | 'units' | 'pairs' | 'exact' | 'preferred' | 'preferredBodies'> {
  /** Matches any word of the query. */
  readonly anyWord: string;
  readonly highlights: readonly Highlight[];
  /** Queries for the marks of which an item must have one, for each filter. */
  readonly filters: readonly string[];
  readonly windows: readonly SearchWindow[];
  readonly fromDay: number | null;
  readonly toDay: number | null;
  readonly amount: AmountRange | null;
  readonly after: SearchCursor | null;
  readonly limit: number;
}

const inTitle = (query: string): string => query.replaceAll(LEXEME, `$&:${WEIGHT.title}`);

/**
 * One row: a page of the latest candidates in windows of time, ranked, as JSON. The statement has no name, so that
 * PostgreSQL plans it for this query.
 */
export function searchCandidates(generation: number, search: CandidateSearch): Statement {
  const { entries, isLive } = tablesOf(AGENDA_SEARCH, generation);
  const values: StatementValue[] = [];
  const parameter = (value: StatementValue, type: string) => `$${values.push(value)}::${type}`;
  const asQuery = (text: string) => parameter(text, 'tsquery');
  const query = asQuery(search.query);
  const filters = search.filters.map(asQuery);
  const ranges = [
    ...(search.fromDay === null ? [] : [`e.day >= ${parameter(search.fromDay, 'bigint')}`]),
    ...(search.toDay === null ? [] : [`e.day <= ${parameter(search.toDay, 'bigint')}`]),
    ...(search.amount?.least == null ? [] : [`e.amount >= ${parameter(search.amount.least, 'bigint')}`]),
    ...(search.amount?.most == null ? [] : [`e.amount <= ${parameter(search.amount.most, 'bigint')}`]),
  ];
  const windows = search.windows.map(({ marks, before }) => {
    const queries = [query, ...filters, ...(marks === null ? [] : [asQuery(marks)])];
    const conditions = [
      ...queries.map((part) => `e.words @@ ${part}`),
      ...(before === null ? [] : [`e.period < ${parameter(before, 'bigint')}`]),
      ...ranges,
    ];
    // Only places of rows are sorted; the words of the latest rows are read afterwards.
    const latest = `select e.ctid from ${entries} e where ${conditions.join(' and ')}
      order by e.starts_at desc, e.item_id desc limit ${MAX_CANDIDATES + 1}`;
    return `(select item_id, starts_at, words, forms, matter from ${entries} e where e.ctid = any (array(${latest}))
      order by e.starts_at desc, e.item_id desc limit ${MAX_CANDIDATES + 1})`;
  });
  const { after } = search;
  const ranking: Ranking = {
    // A mark has no position, so an item that has it would rank as if its words were far apart.
    query: search.units.length === 0 && search.preferred.length === 0 ? query : asQuery(search.anyWord),
    pairs: search.pairs.map(asQuery),
    exact: search.exact.map(asQuery),
    exactInTitle: search.exact.map((word) => asQuery(inTitle(word))),
    preferred: search.preferred.map(asQuery),
    preferredBodies: search.preferredBodies === null ? null : asQuery(search.preferredBodies),
    units: search.units.map((unit) => ({ query: asQuery(unit.query), weight: unit.weight })),
    after:
      after === null
        ? null
        : {
            rank: after.firstPageDay === null ? null : parameter(after.rank, 'int'),
            startsAt: parameter(after.startsAt, 'bigint'),
            itemId: parameter(after.itemId, 'uuid'),
          },
    limit: parameter(search.limit, 'int'),
  };
  // The limit ends the scan of `union all` before the later windows are read.
  return {
    text: `with found as materialized (${withLaterEntries(`select * from (${windows.join(' union all ')}) f limit ${MAX_CANDIDATES + 1}`)}),
      ${rankedItems(ranking)}
      select ${pageOf(generation, ranking, excerptPart(search.highlights, asQuery))} as page where ${isLive}`,
    values,
  };
}
