import { BLANK } from '../operative-text.ts';

/** Recognizes a clause about an effect. The clause follows the label verbatim. */
export interface EffectRule {
  readonly label: string;
  /** A text that has the effect. */
  readonly example: string;
  /** Source of a regular expression for the clause, with the flag `u`. */
  readonly clause: string;
  /** Lower-case parts of words, one of which the clause must contain. Skips a costly pattern for most texts. */
  readonly needs?: readonly string[];
  /** `no_party`: only if no party is named. `nothing_else`: only if in addition no other effect is found. */
  readonly onlyWhere?: 'no_party' | 'nothing_else';
}

/** The rest of a clause. A full stop inside a number or an abbreviation does not end it. */
export const REST = String.raw`(?:\b(?:\p{Lu}\.)+|\b(?:[ap]\.m|Nos?|(?:Dr|Mr|Mrs|Ms|Rev|St|Ft|Mt)(?=\. \p{Lu})|Jr(?=\. (?:Boulevard|Blvd|Street|Avenue|Drive|Way|Park|Community|Library)))\.|[^;.${BLANK}]|\.(?!\s+(?:\(\w\)\s*)?\p{Lu}|\s*$)){8,300}`;
export const DATE = String.raw`[A-Z][a-z]+ \d{1,2}, \d{4}`;
/** A clause that begins with one of the words, in any case. */
export const from = (words: string): string => String.raw`(?i:\b(?:${words})) ${REST}`;
