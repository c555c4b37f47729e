import { BLANK } from '../operative-text.ts';
import { DUTIES, RULES } from './conduct-rules.ts';
import { AGREEMENTS, WORKS } from './contract-rules.ts';
import type { EffectRule } from './effect-rule.ts';
import { spelledOut } from './spelled-out.ts';
import { PRICES, SUPPORT } from './money-rules.ts';
import { PEOPLE, PLACES } from './place-and-people-rules.ts';
import { clipped, REFERENCES, TABLE } from '../subject-sentence.ts';

const AT_MOST = 3;
const LENGTH = 260;
/** Share of the limit after which a clause may end. */
const LATE = 0.8;
/** Shorter clauses have no meaning on their own. */
const SHORTEST = 8;
/** Two effects with this many equal first characters are the same. */
const SAME_START = 40;

/** Rules, the most informative ones first. */
export const EFFECT_RULES: readonly EffectRule[] = [
  ...DUTIES,
  ...PRICES,
  ...AGREEMENTS,
  ...PLACES,
  ...SUPPORT,
  ...RULES,
  ...PEOPLE,
  ...WORKS,
];
const COMPILED = EFFECT_RULES.map((rule) => ({ ...rule, pattern: new RegExp(spelledOut(rule.clause), 'u') }));
const ORDINARY = COMPILED.filter(({ onlyWhere }) => onlyWhere !== 'nothing_else');
const LAST_RESORT = COMPILED.filter(({ onlyWhere }) => onlyWhere === 'nothing_else');

/** The rest of a cut-off step at the end of a clause. */
const TORN = /(?<![\s,:(])(?:[\s,:(]+(?:and|for|of|to|in|by|with|an?|the|total|estimated|amount|\(\d\)))*[\s,:(]*$/;

interface Effect {
  readonly label: string;
  readonly words: string;
}

/** A text and its lower-case form. */
interface Read {
  readonly text: string;
  readonly lower: string;
}

/**
 * Shortens a clause: replaces each reference by an ellipsis, and if it is still too long, cuts it at the end of a
 * clause.
 */
function shortened(words: string): string {
  if (words.length <= LENGTH) return words;
  const plain = REFERENCES.reduce((rest, reference) => rest.replace(reference, ' … '), words)
    .replace(/\s+/g, ' ')
    .replace(/(?: …)+(?: ?,)?/g, ' …')
    .replace(/^ … | …\s*$/g, '');
  return clipped(plain, LENGTH, LATE);
}

function effectOf({ text, lower }: Read, { label, pattern, needs }: (typeof COMPILED)[number]): Effect[] {
  if (text === '' || needs?.some((part) => lower.includes(part)) === false) return [];
  const matched = pattern.exec(text)?.[0];
  if (matched === undefined) return [];
  const words = matched
    .replace(
      /(?<!\s)\s+[-–—]\s(?!\d)(?<!\b(?:States|U\.S\.) Department of [A-Z]\w+(?: [A-Z]\w+)?\s+[-–—]\s|\b(?:Director|Manager|Officer|Chief)\s+[-–—]\s).*$|[-–—] (?:(?:Total|Estimated) )?(?:Not to exceed|Amount|Revenue|Financing)\b.*$|, including Sections? .*$|(?<!\s)\s*\((?:PUBLIC HEARING|list attached|see |Closed Session)\b.*$|(?<!\s)\s+and an ordinance\b.*$|, (?:and )?(?:Adopt|Amend|Approve|Authorize|Find|Rescind|Waive) .*$/s,
      '',
    )
    .replaceAll(BLANK, '')
    .replace(TABLE, '')
    .replace(/,? and \(\d\) .*$|(?<!\s)\s*\([^()]*$/s, '')
    .replace(TORN, '');
  if (words.length < SHORTEST) return [];
  return [{ label, words: shortened(words) }];
}

/** Returns one effect for each rule that matches: the one with the longest text. */
const effectsBy = (rules: typeof COMPILED, texts: readonly Read[]): Effect[] =>
  rules.flatMap((rule) =>
    texts
      .flatMap((text) => effectOf(text, rule))
      .toSorted((left, right) => right.words.length - left.words.length)
      .slice(0, 1),
  );

/**
 * Returns true if another effect says the same: it contains these words later, or an earlier effect begins with them.
 */
const isRepeated = (effects: readonly Effect[], index: number): boolean =>
  effects.some(({ words }, at) => {
    const place = words.indexOf(effects[index]!.words.slice(0, SAME_START));
    return at !== index && (place > 0 || (place === 0 && at < index));
  });

/**
 * Returns the effects in the texts: each label once, and no clause inside another one. The purpose of money counts only
 * if no party is paid.
 */
export function statedEffects(texts: readonly string[], { isPaid }: { readonly isPaid: boolean }): string[] {
  const cased = texts.map((text) => ({ text, lower: text.toLowerCase() }));
  const ordinary = effectsBy(isPaid ? ORDINARY.filter(({ onlyWhere }) => onlyWhere === undefined) : ORDINARY, cased);
  const effects = ordinary.length > 0 || isPaid ? ordinary : effectsBy(LAST_RESORT, cased).slice(0, 1);
  return effects
    .filter((_, index) => !isRepeated(effects, index))
    .slice(0, AT_MOST)
    .map(({ label, words }) => `${label}: “${words}”`);
}
