import type { AmountFact, AmountRole } from './facts.ts';
import { isStop, phraseText, quote, type Reading, type Token } from './tokens.ts';

const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 1_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
]);
/** Phrases before an amount with its role; the last one before the amount decides. `null`: not an amount of the item. */
const CUES: readonly (readonly [role: AmountRole | null, phrases: readonly string[]])[] = [
  [
    'not_to_exceed',
    ['not to exceed', 'not - to - exceed', 'not-to-exceed', 'not exceeding', 'up to', 'maximum', 'no more than', 'nte'],
  ],
  ['revenue', ['revenue', 'revenues', 'proceeds', 'donation', 'sale price', 'foregone', 'rent']],
  [
    'change',
    [
      'increase',
      'increasing',
      'increases',
      'additional',
      'change order',
      'decrease',
      'decreasing',
      'deductive',
      'increased by',
      'adding',
    ],
  ],
  ['total', ['total', 'amount', 'cost', 'price', 'payment', 'payments', 'sum', 'settlement']],
  [
    null,
    [
      ...[
        'penalty',
        'penalties',
        'fine',
        'fines',
        'valued at',
        'value of',
        'valuation',
        'investment',
        'at least',
        'minimum',
        'in excess of',
      ],
      ...[
        'exceeding',
        'more than',
        'greater than',
        'less than',
        'over',
        'under',
        'threshold',
        'above',
        'below',
        'previously',
        'original',
        'originally',
      ],
      ...[
        'existing',
        'current',
        'prior',
        'financing',
        'funding source',
        'publication fee',
        'filing fee',
        'deposit',
        'salary',
        'from',
        'balance',
      ],
      ...[
        'contingency',
        'closing costs',
        'match',
        'appropriations',
        'includes',
        'including',
        'plus',
        'deductible',
        'retainage',
      ],
    ],
  ],
];
/** Words of an earlier clause that turn a plain amount into revenue if one of the second list follows. */
const RECEIVES = [
  'accept',
  'acceptance',
  'accepting',
  'receive',
  'receipt',
  'apply',
  'applying',
  'application',
  'sale',
  'sell',
  'deposit',
];
const RECEIVED = [
  'grant',
  'grants',
  'donation',
  'gift',
  'check',
  'reimbursement',
  'funds',
  'funding',
  'property',
  'surplus',
  'insurance',
];
const UNIT_WORDS = new Set(['per', 'each', 'hourly', 'monthly', 'annually', 'yearly', 'daily', 'weekly', '/']);
const AFTER_UNIT = new Set(['for', 'from', 'with', 'and', 'to', 'by', 'in', 'not', 'plus', 'as', 'at', 'on']);
const REACH = 14;

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

const hasAny = (context: string, words: readonly string[]): boolean =>
  words.some((word) => context.includes(` ${word} `));

/** Index of the last token of the unit after the amount that ends at `at`; -1 if there is none. */
function endOfUnit(tokens: readonly Token[], at: number): number {
  const next = tokens[at + 1];
  const opensUnit = next !== undefined && UNIT_WORDS.has(next.word);
  const isForEach = next?.word === 'for' && (tokens[at + 2]?.word === 'each' || tokens[at + 2]?.word === 'every');
  const isArticle =
    (next?.word === 'a' || next?.word === 'an') &&
    /^(?:year|month|day|hour|week|unit)$/.test(tokens[at + 2]?.word ?? '');
  if (!opensUnit && !isForEach && !isArticle) return -1;
  if (next!.word.endsWith('ly')) return at + 1;
  let end = at + (isForEach ? 2 : 1);
  while (end - at < 5) {
    const token = tokens[end + 1];
    if (token === undefined || token.kind === 'mark' || token.kind === 'money' || AFTER_UNIT.has(token.word)) break;
    end++;
  }
  return end;
}

function roleOf(tokens: readonly Token[], at: number): AmountRole | null {
  const from = contextStart(tokens, at);
  const context = phraseText(tokens, from, at);
  const cued = cuedRole(context);
  if (cued === null || cued === 'not_to_exceed') return cued;
  if (cued === 'change' || cued === 'revenue') return cued;
  const clause = phraseText(tokens, at - 40, at);
  if (hasAny(clause, RECEIVES) && hasAny(clause, RECEIVED)) return 'revenue';
  if (hasAny(clause, ['change order'])) return 'change';
  return 'total';
}

/** The amounts of money that an item decides, without penalties, thresholds, former amounts and sources of money. */
export function amountsOf(reading: Reading): AmountFact[] {
  const { tokens, source } = reading;
  const facts: AmountFact[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.kind !== 'money') continue;
    const scale = SCALES.get(tokens[at + 1]?.word ?? '');
    const end = scale === undefined ? at : at + 1;
    const value = Math.round(Number(token.text.replace(/[$,\s]/g, '')) * (scale ?? 1) * 100) / 100;
    const unitEnd = endOfUnit(tokens, end);
    const role = unitEnd < 0 ? roleOf(tokens, at) : 'per_unit';
    if (role === null || !(value > 0)) continue;
    const unit = unitEnd < 0 ? null : source.slice(tokens[end + 1]!.start, tokens[unitEnd]!.end);
    facts.push({ ...quote(reading, at, end), value, currency: 'USD', role, unit });
  }
  return facts;
}
