import { factsOf } from '../../domain/agenda-facts/agenda-facts.ts';
import { mainAmount, mainParty, mainPlace } from '../../domain/agenda-facts/main-facts.ts';

/** A labelled item. An empty label means that the item has no such fact. */
export interface FactsRow {
  readonly title: string;
  readonly text: string | null;
  readonly amount: number | null;
  readonly party: string | null;
  readonly place: string | null;
}

export interface FactsScore {
  /** Items with a label. */
  readonly labelled: number;
  readonly found: number;
  /** Facts that contradict the label of the item. */
  readonly contradicted: number;
  /** Facts of items without a label. */
  readonly unlabelled: number;
  /** Items for which a fact was returned. */
  readonly returned: number;
}
export type FactsMeasure = 'amount' | 'party' | 'place';
type Verdict = 'found' | 'contradicted' | 'unlabelled' | 'missed' | 'absent';

const plain = (text: string): string =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word !== 'the').join(' ');
const contains = (left: string, right: string): boolean => ` ${left} `.includes(` ${right} `);

/** True if two names are equal, or one of them is a longer form of the other. */
function isSameName(name: string, label: string): boolean {
  const [found, wanted] = [plain(name), plain(label)];
  return contains(found, wanted) || (contains(wanted, found) && found.length * 3 >= wanted.length);
}

/** True if the place and the label share a run of characters of the title. */
function overlaps(
  title: string,
  { offset, sourceText }: { offset: number; sourceText: string },
  label: string,
): boolean {
  for (let at = title.indexOf(label); at >= 0; at = title.indexOf(label, at + 1)) {
    if (at < offset + sourceText.length && offset < at + label.length) return true;
  }
  return isSameName(sourceText, label);
}

function verdictOf<T>(fact: T | null, label: unknown, isRight: (fact: T) => boolean): Verdict {
  if (fact === null) return label === null ? 'absent' : 'missed';
  if (label === null) return 'unlabelled';
  return isRight(fact) ? 'found' : 'contradicted';
}

/** Compares the main facts of one item with its labels. */
export function judgeFacts(row: FactsRow): Readonly<Record<FactsMeasure, Verdict>> {
  const facts = factsOf(row);
  return {
    amount: verdictOf(mainAmount(facts), row.amount, ({ value }) => Math.abs(value - row.amount!) < 0.005),
    party: verdictOf(mainParty(facts), row.party, ({ name }) => isSameName(name, row.party!)),
    place: verdictOf(mainPlace(facts), row.place, (place) => overlaps(row.title, place, row.place!)),
  };
}

/** Counts of found, contradicted and unlabelled main facts by measure. */
export function scoreFacts(rows: readonly FactsRow[]): Readonly<Record<FactsMeasure, FactsScore>> {
  const verdicts = rows.map(judgeFacts);
  const scoreOf = (measure: FactsMeasure): FactsScore => {
    const count = (...wanted: readonly Verdict[]): number =>
      verdicts.filter((verdict) => wanted.includes(verdict[measure])).length;
    return {
      labelled: count('found', 'contradicted', 'missed'),
      found: count('found'),
      contradicted: count('contradicted'),
      unlabelled: count('unlabelled'),
      returned: count('found', 'contradicted', 'unlabelled'),
    };
  };
  return { amount: scoreOf('amount'), party: scoreOf('party'), place: scoreOf('place') };
}
