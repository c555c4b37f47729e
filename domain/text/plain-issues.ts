import { z } from 'zod';
import { distance } from './words.ts';

type Issue = z.core.$ZodRawIssue;
const [MAX_LISTED, MAX_SHOWN] = [30, 24];

/** Quotes a text, unless it is so long that it might contain a secret, such as a key in the wrong place. */
export const quoted = (text: string): string =>
  text.length > MAX_SHOWN ? `a text of ${text.length} characters` : JSON.stringify(text);
const listed = (names: readonly string[]): string =>
  names.length > MAX_LISTED
    ? `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} more`
    : names.join(', ');

/** Returns `; did you mean "limit"?` if one of the names is similar. */
function suggestName(received: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, far: distance(received.slice(0, 2 * MAX_SHOWN).toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((one, other) => one.far - other.far)[0];
  return near === undefined ? '' : `; did you mean "${near.name}"?`;
}

/** Returns `must be one of …`, with the received value and the most similar name. */
export const notOneOf = (received: string, names: readonly string[]): string =>
  `must be one of ${listed(names)}; got ${quoted(received)}${suggestName(received, names)}`;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};
const kindOf = (value: unknown): string =>
  KINDS[value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value] ?? 'another value';

const FORMS: Readonly<Record<string, string>> = {
  uuid: 'a UUID such as 0190a5f2-3c1b-7e60-8f43-9a7b2c1d4e5f',
  datetime: 'a time in UTC such as 2026-04-14T16:00:00.000Z',
  date: 'a date such as 2026-04-14',
  url: 'a web address such as https://example.org/',
};

function sizeText(
  { origin, input }: Issue & { readonly origin?: string },
  side: 'least' | 'most',
  bound: number | bigint,
): string {
  const amount = side === 'least' ? `at least ${bound}` : `at most ${bound}`;
  if (origin === 'string')
    return bound === 1 && side === 'least' ? 'must not be empty' : `must have ${amount} characters`;
  if (origin === 'array' || origin === 'set') return `must have ${amount} ${Number(bound) === 1 ? 'entry' : 'entries'}`;
  return `must be ${amount}${typeof input === 'number' ? `; got ${input}` : ''}`;
}

/**
 * Describes what a schema allows, for an issue without its own text. Repeats a refused value only if it is a
 * number or a short name or choice; undefined for other issues.
 */
function plainIssue(issue: Issue): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      return input === undefined
        ? 'is required'
        : `must be ${KINDS[issue.expected] ?? issue.expected}; got ${kindOf(input)}`;
    case 'too_small':
      return sizeText(issue, 'least', issue.minimum);
    case 'too_big':
      return sizeText(issue, 'most', issue.maximum);
    case 'invalid_value': {
      const values = issue.values.map(String);
      if (input === undefined) return `is required: ${listed(values)}`;
      if (typeof input === 'string' && values.length > 1) return notOneOf(input, values);
      const actual =
        typeof input === 'string' ? `; got ${quoted(input)}${suggestName(input, values)}` : `; got ${kindOf(input)}`;
      return values.length === 1 ? `must be ${values[0]}${actual}` : `must be one of ${listed(values)}${actual}`;
    }
    case 'unrecognized_keys': {
      const names = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      const unknown = issue.keys[0] ?? '';
      const allowed = names.length === 0 ? 'none is allowed here' : `allowed are ${listed(names)}`;
      return `unknown name: ${quoted(unknown)}${suggestName(unknown, names) || `; ${allowed}`}`;
    }
    case 'invalid_format':
      if (issue.format === 'regex') return `must match ${String(issue['pattern'])}`;
      return FORMS[issue.format] === undefined ? undefined : `must be ${FORMS[issue.format]}`;
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return undefined;
  }
}

/** Option of `safeParse` for messages in plain words. */
export const PLAINLY = { error: plainIssue };

/** `limit must be at most 20; got 50`. */
export function issueText({ path, message }: Pick<z.core.$ZodIssue, 'path' | 'message'>): string {
  const name = path.map(String).join('.');
  if (name === '') return message;
  return /^(?:must|is) /.test(message) ? `${name} ${message}` : `${name}: ${message}`;
}
