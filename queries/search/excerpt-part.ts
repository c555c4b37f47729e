import { replaceSlashes, WEIGHT } from '../../projections/agenda-search/tables.ts';
import { type ComposedQuery, LEXEME } from './composed-query.ts';

/** A query that an excerpt shows if the item has it in its text or else in its title. */
export interface Highlight {
  /** Text in the syntax of `tsquery`. */
  readonly query: string;
  /** True for words as they were typed, false for stems. */
  readonly isExact: boolean;
}

/** Returns what an excerpt should show, the best first: neighboring words, all words, any word. */
export function highlightsOf({ pairs, units, exact, anyWord }: ComposedQuery): readonly Highlight[] {
  const stems = [pairs.join(' & '), pairs.join(' | '), units.map((unit) => `( ${unit} )`).join(' & '), anyWord];
  const distinct = [...new Set(stems)].filter((query) => query !== '');
  const word = units.length === 1 ? exact : [];
  return [...word.map((query) => ({ query, isExact: true })), ...distinct.map((query) => ({ query, isExact: false }))];
}

const weighted = (query: string, weight: string): string => query.replaceAll(LEXEME, `$&:${weight}`);

const SETTINGS = `'MaxFragments=1, MaxWords=40, MinWords=20, ShortWord=0, StartSel="", StopSel=""'`;
const HEADLINE_TEXT = 60_000;
/**
 * A shorter text is shown whole. The same number of characters at each end shows whether an excerpt reaches the ends.
 */
const EDGE = 250;
/** More than an excerpt has, so that it ends with an ellipsis. */
const BEGINNING = 400;

/**
 * SQL that selects `shown_part`, `beginning` and `end_part` of the text or the title of an item `i` with the entry `e`.
 * `asQuery` binds a query. The offsets keep PostgreSQL from choosing anew for each column.
 */
export function excerptPart(highlights: readonly Highlight[], asQuery: (text: string) => string): string {
  const choices = highlights.flatMap(({ query, isExact }, index) => {
    const vector = isExact ? 'e.forms' : 'e.words';
    const [inText, inTitle] = [WEIGHT.text, WEIGHT.title].map((weight) => asQuery(weighted(query, weight)));
    return [
      `when i.text is not null and ${vector} @@ ${inText} then ${index + 1}`,
      `when ${vector} @@ ${inTitle} then ${-index - 1}`,
    ];
  });
  const queries = highlights.map(({ query }) => asQuery(query));
  const dictionaries = highlights.map(({ isExact }) => `'pg_catalog.${isExact ? 'simple' : 'english'}'`);
  const choice = choices.length === 0 ? '0' : `case ${choices.join(' ')} else 0 end`;
  // The headline reads words joined by a slash as one path: hardly any text contains the control character.
  const text = replaceSlashes(`E' \\x01 '`, `left(d.shown, ${HEADLINE_TEXT})`);
  const headline = `ts_headline((array[${dictionaries.join(', ')}]::regconfig[])[abs(d.choice)], ${text},
    (array[${queries.join(', ')}]::tsquery[])[abs(d.choice)], ${SETTINGS})`;
  const part = choices.length === 0 ? 'd.shown' : `regexp_replace(${headline}, E' ?\\x01 ?', '/', 'g')`;
  return `select case when length(d.shown) <= ${EDGE} or d.choice = 0 then left(d.shown, ${BEGINNING}) else ${part} end as part,
      left(d.shown, ${EDGE}) as beginning, right(d.shown, ${EDGE}) as ending
    from (
      select c.choice, case when c.choice > 0 then i.text else i.title end as shown
      from (select ${choice} as choice offset 0) c offset 0
    ) d`;
}
