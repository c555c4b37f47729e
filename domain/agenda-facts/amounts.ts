import { wordSet } from '../text/words.ts';
import type { AmountFact, AmountRole } from './facts.ts';
import { hasWord, isStop, phraseList, phraseText, quote, type Reading, type Token } from './tokens.ts';

const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 1_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
]);
/** Phrases before an amount with its role; the last one before the amount decides. `null`: no amount of the item. */
const CUES: readonly (readonly [role: AmountRole | null, phrases: readonly string[]])[] = [
  [
    'not_to_exceed',
    phraseList(`
  not to exceed, not exceed, not - to - exceed, not-to-exceed, not exceeding, up to, maximum, maximum amount of,
  no more than, nte, not more than
`),
  ],
  ['revenue', phraseList('revenue, revenues, proceeds, donation, sale price, foregone, rent')],
  [
    'change',
    phraseList(`
  increase, increasing, increases, additional, change order, decrease, decreasing, deductive, adding, supplemental
  agreement
`),
  ],
  ['total', phraseList('total, amount, cost, price, payment, payments, sum, settlement')],
  [
    null,
    phraseList(`
  penalty, penalties, fine, fines, valued at, value of, valuation, investment, at least, minimum, in excess of,
  exceeding, more than, greater than, less than, over, under, threshold, above, below, previously, original,
  originally, existing, current, prior, financing, funding source, publication fee, filing fee, deposit, salary,
  from, balance, contingency, closing costs, match, appropriations, includes, including, plus, deductible,
  retainage
`),
  ],
];
/** Words of a contract that is changed, and phrases before its price after the change. The item does not decide that price. */
const CHANGES = wordSet('amend amending amendment amendments increase increasing additional supplemental supplement');
const NEW_PRICES = phraseList(
  'revised total, new total, total contract, total agreement, total amount, total purchase, revised contract',
);
/** Words of an earlier clause that turn a plain amount into revenue if one of the second list follows. */
const RECEIVES = wordSet('accept acceptance accepting receive receipt apply applying application sale sell');
const RECEIVED = wordSet('grant grants donation gift check reimbursement funds funding property surplus insurance');
/** Words anywhere before an amount that make it no amount of the item, even after "not to exceed". */
const NEVER = phraseList(`
  penalty, penalties, fine, fines, punishable, offense, publication fee, closing costs, deductible, liability
  limit, threshold
`);
const UNIT_WORDS = new Set(['per', 'each', 'hourly', 'monthly', 'annually', 'yearly', 'daily', 'weekly', '/']);
const AFTER_UNIT = new Set(['for', 'from', 'with', 'and', 'to', 'by', 'in', 'not', 'plus', 'as', 'at', 'on']);
/** "Two options, each in an amount of": how often it is paid is not read. */
const EACH = / each in (?:an|the) amount /;
const REACH = 14;
/** Number of tokens in which words before an amount belong to it. */
const CLAUSE = 40;

/** Index of the first token of the context of the amount at `at`: after a stop, or after another amount. */
function contextStart(tokens: readonly Token[], at: number): number {
  let from = at;
  while (from > 0 && at - from < REACH && !isStop(tokens[from - 1]) && tokens[from - 1]!.kind !== 'money') from--;
  return from;
}

/** The role of the phrase nearest before the amount; undefined if there is none. */
function cuedRole(context: string): AmountRole | null | undefined {
  let nearest = -1;
  let role: AmountRole | null | undefined;
  for (const [cueRole, phrases] of CUES) {
    for (const phrase of phrases) {
      const end = context.lastIndexOf(` ${phrase} `) + phrase.length;
      if (end >= phrase.length && end > nearest) [nearest, role] = [end, cueRole];
    }
  }
  return role;
}

/** Index of the last token of the unit after the amount that ends at `at`; -1 if there is none. */
function endOfUnit(tokens: readonly Token[], at: number): number {
  const next = tokens[at + 1];
  const opensUnit = next !== undefined && UNIT_WORDS.has(next.word);
  const isForEach = next?.word === 'for' && (tokens[at + 2]?.word === 'each' || tokens[at + 2]?.word === 'every');
  const isArticle =
    (next?.word === 'a' || next?.word === 'an') &&
    /^(?:year|month|day|hour|week|unit)$/.test(tokens[at + 2]?.word ?? '');
  if (!opensUnit && !isForEach && !isArticle) return -1;
  if (next.word.endsWith('ly')) return at + 1;
  let end = at + (isForEach ? 2 : 1);
  while (end - at < 5) {
    const token = tokens[end + 1];
    if (token === undefined || token.kind === 'mark' || token.kind === 'money' || AFTER_UNIT.has(token.word)) break;
    end++;
  }
  return end;
}

/** Indexes of the last words before an amount that make a plain amount revenue or a change. */
interface Earlier {
  receives: number;
  received: number;
  changeOrder: number;
  isChange: boolean;
  /** A contract was changed before the first amount. */
  isChanged: boolean;
  isPriced: boolean;
}

function noteEarlier(earlier: Earlier, tokens: readonly Token[], at: number): void {
  const { word } = tokens[at]!;
  if (RECEIVES.has(word)) earlier.receives = at;
  if (RECEIVED.has(word)) earlier.received = at;
  if (CHANGES.has(word)) earlier.isChange = true;
  if (word === 'order' && tokens[at - 1]?.word === 'change') earlier.changeOrder = at;
}

function roleOf(tokens: readonly Token[], at: number, earlier: Earlier): AmountRole | null {
  const context = phraseText(tokens, contextStart(tokens, at), at);
  if (context === ' ') return 'total';
  if (NEVER.some((phrase) => context.includes(` ${phrase} `))) return null;
  const isNewPrice = NEW_PRICES.some((phrase) => context.includes(` ${phrase} `));
  if (isNewPrice && earlier.isChanged) return null;
  if (EACH.test(context)) return null;
  const cued = cuedRole(context);
  if (cued !== undefined && cued !== 'total') return cued;
  if (context.includes(' total ')) return 'total';
  if (Math.min(earlier.receives, earlier.received) > at - CLAUSE) return 'revenue';
  return earlier.changeOrder > at - CLAUSE ? 'change' : 'total';
}

const SIGNS = /[$,\s]/g;

/** The money at `at`, with the index of its last token; null for a number that a line break or a space cuts. */
function moneyAt(tokens: readonly Token[], at: number): { readonly value: number; readonly end: number } | null {
  const token = tokens[at];
  if (token?.kind !== 'money') return null;
  const isCut = tokens[at + 1]?.text === ',' && /^\d{3}/.test(tokens[at + 2]?.text ?? '');
  const scale = SCALES.get(tokens[at + 1]?.word ?? '');
  const value = Math.round(Number(token.text.replace(SIGNS, '')) * (scale ?? 1) * 100) / 100;
  return isCut || !(value > 0) ? null : { value, end: scale === undefined ? at : at + 1 };
}

/** The difference of "from $1,000 to $1,500", with the index after it; null if no such words begin at `at`. */
function increaseAt(tokens: readonly Token[], at: number): { readonly change: number; readonly end: number } | null {
  if (tokens[at]!.word !== 'from') return null;
  const former = moneyAt(tokens, at + 1);
  if (former === null || tokens[former.end + 1]?.word !== 'to') return null;
  const later = moneyAt(tokens, former.end + 2);
  return later === null ? null : { change: later.value - former.value, end: later.end };
}

/** The amounts of money that an item decides, without penalties, thresholds, former amounts and sources of money. */
export function amountsOf(reading: Reading): AmountFact[] {
  const { tokens, source } = reading;
  const facts: AmountFact[] = [];
  const earlier: Earlier = {
    receives: -CLAUSE,
    received: -CLAUSE,
    changeOrder: -CLAUSE,
    isChange: false,
    isChanged: false,
    isPriced: false,
  };
  for (let at = 0; at < tokens.length; at++) {
    noteEarlier(earlier, tokens, at);
    const increase = increaseAt(tokens, at);
    if (increase !== null) {
      const last = facts.at(-1);
      const isChange = last !== undefined && Math.abs(last.value - increase.change) < 0.01;
      if (isChange) facts[facts.length - 1] = { ...last, role: 'change' };
      at = increase.end;
    }
    const money = moneyAt(tokens, at);
    if (money === null || increase !== null) continue;
    const unitEnd = endOfUnit(tokens, money.end);
    const priced = roleOf(tokens, at, earlier);
    earlier.isChanged ||= earlier.isChange && !earlier.isPriced;
    earlier.isPriced = true;
    const role = unitEnd >= 0 && priced !== null ? 'per_unit' : priced;
    if (role === null) continue;
    const unit = unitEnd < 0 ? null : source.slice(tokens[money.end + 1]!.start, tokens[unitEnd]!.end);
    const before = facts.at(-1);
    const isRate = unit !== null && hasWord(tokens[at - 1], 'to or') && before?.offset === tokens[at - 2]?.start;
    if (isRate && before !== undefined) facts[facts.length - 1] = { ...before, role: 'per_unit', unit };
    facts.push({ ...quote(reading, at, money.end), value: money.value, currency: 'USD', role, unit });
  }
  return facts;
}
