import { type Act, type Form, type Kind, phraseAt } from './lexicon.ts';
import { wordSet } from '../text/words.ts';

export interface Token {
  /** Lower-case text. */
  readonly text: string;
  /** `stop` ends a sentence, `pause` a part of one; `word` has no meaning here. */
  readonly kind: Kind | 'act' | 'stop' | 'pause' | 'number' | 'word';
  readonly act: Act | null;
  readonly form: Form | null;
}

/** "7-0", "$1,000.50". */
const NUMBER = String.raw`\$?\d+(?:[.,/–-]\d+)*`;
/** "approved", "re-zoning", "applicant’s", "P&Z". */
const WORD = String.raw`[\p{L}\p{M}]+(?:[-’&][\p{L}\p{M}]+)*`;
const PUNCTUATION = String.raw`[.;!?\n,:()[\]–—-]`;
const PART = new RegExp(`${NUMBER}|${WORD}|${PUNCTUATION}`, 'gu');
/** "That it be denied", "to have it denied". */
export const BE = wordSet('be been being get have');
export const WAS = wordSet('is are was were');
const STOPS = new Set(['.', ';', '!', '?', '\n']);
const PAUSES = new Set([',', ':', '(', ')', '[', ']', '–', '—', '-']);
const WITH_SLASHES = String.raw`\bm\/s(?:\/([cpu])(?:arried|assed|nanimous(?:ly)?)?)?(?:\/u)?(?![/\w])`;
/** "M/S/C": moved, seconded, carried. */
const MOVED_SECONDED = new RegExp(String.raw`${WITH_SLASHES}|\bmscu?\b|\bms[pu](?= (?:to|by)\b)`, 'g');
/** A period after these does not end a sentence. */
const ABBREVIATIONS = wordSet(
  'mr mrs ms dr st jr sr no nos res ord cm cmr coun ald sup rep sen hon mtn mot mvd inc co corp ltd ave blvd rd dept dist sec vs art ch jan feb mar apr jun jul aug sept oct nov dec',
);

/** Verbs that are nouns or names too: they are verbs only at the beginning of a sentence and after these words. */
const AMBIGUOUS = wordSet(
  'continue table award grant pass file accept follow close open set call direct hold hear limit enter extend advance strike appoint agree forward confirm',
);
const BEFORE_VERB = wordSet('to and then or : - – ( , & not');

export const isAmbiguous = ({ text }: Token): boolean => AMBIGUOUS.has(text);
const isVerb = (token: Token, before: Token | undefined): boolean =>
  token.form !== 'base' ||
  !isAmbiguous(token) ||
  before === undefined ||
  before.kind === 'stop' ||
  BEFORE_VERB.has(before.text);

const endsAbbreviation = (before: string | undefined): boolean =>
  before !== undefined && (ABBREVIATIONS.has(before) || /^\p{L}$/u.test(before));

function tokenOf(text: string, before: string | undefined): Token {
  const other = (kind: Token['kind']): Token => ({ text, kind, act: null, form: null });
  if (text === '.' && endsAbbreviation(before)) return other('word');
  if (STOPS.has(text)) return other('stop');
  if (PAUSES.has(text)) return other('pause');
  return other(/^[$\d]/.test(text) ? 'number' : 'word');
}

/** The token without its meaning. */
export const asWord = (token: Token): Token => ({ ...token, kind: 'word', act: null, form: null });
export const isAct = (token: Token): token is Token & { readonly act: Act } => token.act !== null;
export const has = (tokens: readonly Token[], kind: Token['kind']): boolean =>
  tokens.some((token) => token.kind === kind);

/** The words of a text with what they mean, each phrase as one token. */
export function tokensOf(text: string): readonly Token[] {
  const plain = text
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(MOVED_SECONDED, (words, result?: string) =>
      result === undefined && words.includes('/') ? 'motion' : 'motion carried',
    );
  const words = plain.match(PART) ?? [];
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(words, at);
    const { kind, act = null, form = null } = phrase?.meaning ?? tokenOf(words[at]!, words[at - 1]);
    const length = phrase?.length ?? 1;
    const token: Token = { text: words.slice(at, at + length).join(' '), kind, act, form };
    tokens.push(isVerb(token, tokens.at(-1)) ? token : asWord(token));
    at += length;
  }
  return tokens;
}

/** The parts of a list between the tokens for which `isEnd` is true. */
export function splitAt(tokens: readonly Token[], isEnd: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (isEnd(token)) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts.filter((part) => part.length > 0);
}
