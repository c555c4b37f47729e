import { factsOf } from '../agenda-facts/agenda-facts.ts';
import { FACT_LISTS, MAX_FACT_TEXT, MAX_FACTS } from '../records/fact-schemas.ts';
import type { RecordData } from '../records/resources.ts';
import { isBusiness } from './kinds.ts';

/**
 * Version of the rules in `domain/agenda-facts`. Raise it once for each release in which they change: items that were
 * read under other rules are then read again.
 */
export const FACTS_VERSION = 2;

/** UTF-8 bytes of JSON of one item's facts: 100 items on a page have less than 1 MB of them. */
export const MAX_FACT_BYTES = 8_000;

/** Code units of each field that are read. More could block the event loop. */
const READ_LENGTH = 8_000;
/** A fact near the cut might lack words that belong to it. */
const CUT_MARGIN = 200;

type FactList = (typeof FACT_LISTS)[number];
type Facts = Pick<RecordData<'agenda_items'>, FactList | 'factsVersion'>;
type ItemWithFacts = Pick<RecordData<'agenda_items'>, 'title' | 'text' | 'kind'> & Facts;
type Fact = NonNullable<Facts[FactList]>[number];

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const hasShortTexts = (fact: object): boolean =>
  Object.values(fact).every((value) => typeof value !== 'string' || value.length <= MAX_FACT_TEXT);
const readable = (text: string): string => text.slice(0, READ_LENGTH);
const isPastCut = (text: string, { offset, sourceText }: Fact): boolean =>
  text.length > READ_LENGTH && offset + sourceText.length > READ_LENGTH - CUT_MARGIN;
const isVerbatim = (item: ItemWithFacts, { field, offset, sourceText }: Fact): boolean =>
  sourceText !== '' && item[field]?.startsWith(sourceText, offset) === true;

/** True if an import sent the item with its facts. The service does not change them. */
const hasOwnFacts = (item: Facts): boolean =>
  item.factsVersion === undefined && FACT_LISTS.some((list) => item[list] !== undefined);

/** Returns the facts that the title and the text of an item state, within the limits. */
function readFacts(item: ItemWithFacts): Facts {
  if (!isBusiness(item)) return {};
  const all = factsOf({ title: readable(item.title), text: item.text === null ? null : readable(item.text) });
  const facts: Record<string, unknown> = {};
  let bytes = 0;
  for (const list of FACT_LISTS) {
    const published: Fact[] = [];
    for (const fact of all[list]) {
      bytes += bytesOf(fact) + 1;
      if (published.length === MAX_FACTS || bytes > MAX_FACT_BYTES) break;
      if (hasShortTexts(fact) && !isPastCut(item[fact.field]!, fact)) published.push(fact);
    }
    if (published.length > 0) facts[list] = published;
  }
  return Object.keys(facts).length === 0 ? {} : { ...facts, factsVersion: FACTS_VERSION };
}

function withoutFacts<Item extends Facts>(item: Item): Omit<Item, keyof Facts> {
  const { amounts: _a, parties: _p, places: _l, districts: _d, caseNumbers: _c, factsVersion: _v, ...rest } = item;
  return rest;
}

/** Returns the item with the facts that it states, or with its own facts. */
export const withFacts = <Item extends ItemWithFacts>(item: Item): Item =>
  hasOwnFacts(item) ? item : ({ ...withoutFacts(item), ...readFacts(item) } as Item);

/** Returns why the facts that an import sent cannot be published, or null. */
export function refuseOwnFacts(item: ItemWithFacts): string | null {
  if (!hasOwnFacts(item)) return null;
  for (const list of FACT_LISTS) {
    const wrong = item[list]?.findIndex((fact) => !isVerbatim(item, fact)) ?? -1;
    if (wrong >= 0) return `${list}.${wrong}: sourceText does not stand at offset of the field`;
  }
  const bytes = FACT_LISTS.reduce((sum, list) => sum + (item[list] === undefined ? 0 : bytesOf(item[list])), 0);
  return bytes > MAX_FACT_BYTES ? `the facts have ${bytes} bytes; ${MAX_FACT_BYTES} are allowed` : null;
}

/** True if the item lacks facts of the current rules, as one that an earlier version of the service wrote. */
export function hasOutdatedFacts(item: ItemWithFacts): boolean {
  if (item.factsVersion === FACTS_VERSION || hasOwnFacts(item)) return false;
  return item.factsVersion !== undefined || Object.keys(readFacts(item)).length > 0;
}

/** Returns the item after an erasure: facts of the service are read again, and others stay where their words stand. */
export function withTrueFacts<Item extends ItemWithFacts>(item: Item): Item {
  if (!hasOwnFacts(item)) return withFacts(item);
  const lists = FACT_LISTS.flatMap((list) => {
    const facts = item[list] as readonly Fact[] | undefined;
    return facts === undefined ? [] : [[list, facts.filter((fact) => isVerbatim(item, fact))]];
  });
  return { ...withoutFacts(item), ...Object.fromEntries(lists) } as Item;
}

/** Fields of facts with words of the item. */
const QUOTED = ['sourceText', 'name', 'unit', 'district', 'value'] as const;

/** Returns the paths of the texts of facts whose words are nowhere in the field that they quote. */
export const lostFactPaths = (item: ItemWithFacts): readonly (readonly string[])[] =>
  FACT_LISTS.flatMap((list) =>
    ((item[list] as readonly Fact[] | undefined) ?? []).flatMap((fact, at) => {
      if (item[fact.field]?.includes(fact.sourceText) === true) return [];
      const texts: Readonly<Record<string, unknown>> = { ...fact };
      const quoted = QUOTED.filter((name) => typeof texts[name] === 'string' && texts[name] !== '');
      return quoted.map((name) => [list, String(at), name]);
    }),
  );
