import { dateOfDay, dayOfDate } from '../../../domain/local-day.ts';
import { dateInWords } from '../../../domain/months.ts';
import { straightQuotes } from '../../../domain/text/words.ts';
import { type AmountRange, amountRangeAt } from './amounts.ts';
import { type QuestionTime, type DayRange, dayRangeAt } from './days.ts';
import { fillerWords } from './question-words.ts';
import { CLOSING, type TypedWord, typedWords } from './typed-words.ts';

/** Words of a query and what they were read as. */
export interface ReadWords {
  readonly words: string;
  readonly meaning: string;
}

/** A query without the words that are filters and without those that only make it a question. */
export interface Question {
  readonly text: string;
  readonly days: DayRange | null;
  readonly amount: AmountRange | null;
  readonly read: readonly ReadWords[];
}

const PAST = new Set(['did', 'was', 'were', 'had', 'has', 'have', 'happened', 'decided', 'voted']);
const FUTURE = new Set(['will', 'upcoming', 'going', 'plans', 'planned', 'scheduled']);

function tenseOf(words: readonly TypedWord[]): QuestionTime['tense'] {
  if (words.some(({ word }) => FUTURE.has(word))) return 'future';
  return words.some(({ word }) => PAST.has(word)) ? 'past' : null;
}

/**
 * Reads days and amounts of a query as filters, relative to a local day (days from 1970-01-01). Words in quotation
 * marks and after a minus stay words.
 */
export function readQuestion(query: string, today: number): Question {
  const plain = straightQuotes(query);
  const words = typedWords(plain);
  const time: QuestionTime = { today, tense: tenseOf(words) };
  const read: ReadWords[] = [];
  const dropped = new Set<TypedWord>();
  let days: DayRange | null = null;
  let amount: AmountRange | null = null;
  for (let at = 0; at < words.length; ) {
    const range: ReturnType<typeof dayRangeAt> = days === null ? dayRangeAt(words, at, time) : null;
    const money: ReturnType<typeof amountRangeAt> = amount === null && range === null ? amountRangeAt(words, at) : null;
    const end = range?.end ?? money?.end ?? at;
    const typed = end > at ? plain.slice(words[at]!.from, words[end - 1]!.to).replace(CLOSING, '') : '';
    if (range !== null) read.push({ words: typed, meaning: daysMeaning((days = range.value)) });
    if (money !== null) read.push({ words: typed, meaning: amountMeaning((amount = money.value)) });
    for (const word of words.slice(at, end)) dropped.add(word);
    at = Math.max(end, at + 1);
  }
  for (const word of fillerWords(words, plain)) dropped.add(word);
  if (dropped.size === 0) return { text: query, days, amount, read };
  const text = words.filter((word) => !dropped.has(word)).map(({ from, to }) => plain.slice(from, to));
  return { text: text.join(' '), days, amount, read };
}

interface DateArguments {
  readonly fromDate: string | null;
  readonly toDate: string | null;
}

/** Returns the conditions that the arguments of a search state and that its words were read as. */
export function limitsOf({ fromDate, toDate }: DateArguments, { days, amount }: Pick<Question, 'days' | 'amount'>) {
  const firstDays = [fromDate === null ? null : dayOfDate(fromDate), days?.from ?? null].filter((day) => day !== null);
  const lastDays = [toDate === null ? null : dayOfDate(toDate), days?.to ?? null].filter((day) => day !== null);
  return {
    fromDay: firstDays.length === 0 ? null : Math.max(...firstDays),
    toDay: lastDays.length === 0 ? null : Math.min(...lastDays),
    sameDays: days?.sameDays ?? null,
    amount,
  };
}

/** Returns a question whose amount cannot be a filter. */
export const withoutAmount = (question: Question): Question => ({
  ...question,
  amount: null,
  read: question.read.filter(({ meaning }) => !meaning.startsWith(AMOUNTS)),
});

const AMOUNTS = 'amounts ';
const dayInWords = (day: number): string => dateInWords(dateOfDay(day));

const DAY_OF_YEAR = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'long', day: 'numeric' });

function daysMeaning({ from, to, sameDays }: DayRange): string {
  if (sameDays !== undefined) return `meetings on ${DAY_OF_YEAR.format(new Date(dateOfDay(sameDays[0]!)))} of any year`;
  if (from === to && from !== null) return `meetings on ${dayInWords(from)}`;
  const [first, last] = [from, to].map((day) => (day === null ? '' : dayInWords(day)));
  if (from === null) return `meetings until ${last}`;
  return to === null ? `meetings from ${first} on` : `meetings from ${first} to ${last}`;
}

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });

function amountMeaning({ least, most }: AmountRange): string {
  if (most === null) return `${AMOUNTS}of ${DOLLARS.format(least!)} or more`;
  return least === null
    ? `${AMOUNTS}of ${DOLLARS.format(most)} or less`
    : `${AMOUNTS}from ${DOLLARS.format(least)} to ${DOLLARS.format(most)}`;
}
