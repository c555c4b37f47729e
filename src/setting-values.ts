import { Duration } from 'luxon';
import { z } from 'zod';
import { DAY_MS, MINUTE_MS } from '../domain/durations.ts';
import { kafkaBrokers, kafkaSasl, topicName } from '../domain/ports/kafka.ts';
import { LOG_ADDRESS_ALLOWED, logAddress } from '../domain/log-address.ts';
import { percentDecoded } from '../domain/percent-encoding.ts';

export const allowedBy = (schema: z.ZodType): string => String(schema.meta()?.['allowed']);

const matching = <Value>(form: RegExp, read: (text: string) => Value, allowed: string) =>
  z.string().regex(form).transform(read).meta({ allowed });
const asGiven = (text: string): string => text;
const pairOf = <Value>(text: string, read: (part: string) => Value) => text.split('/').map(read) as [Value, Value];

export const oneOf = <const Word extends string>(...words: readonly [Word, ...Word[]]) =>
  z.enum(words).meta({ allowed: [...words.slice(0, -2), words.slice(-2).join(' or ')].join(', ') });
export const hostName = z.string().min(1).meta({ allowed: 'a host name or address' });
export const folder = z.string().min(1).meta({ allowed: 'a folder' });
export const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535)
  .meta({ allowed: 'a port from 0 to 65535; 0 picks a free one' });
export const portOrOff = z.union([z.literal('off'), port]).meta({ allowed: 'a port from 0 to 65535, or off' });
/** Milliseconds of an ISO 8601 duration; NaN, which no limit allows, for another text. */
const durationWhere = (isAllowed: (milliseconds: number) => boolean, example: string) =>
  z
    .string()
    // A given locale saves the look-up of the machine's, a tenth of the time of a short command.
    .transform((text) => Duration.fromISO(text, { locale: 'en' }).toMillis())
    .refine(isAllowed)
    .meta({ allowed: `an ISO 8601 duration such as ${example}` });
/** A century at most: what is counted on from now stays a time that can be written. */
export const duration = (example: string) =>
  durationWhere((milliseconds) => milliseconds > 0 && milliseconds <= 36_525 * DAY_MS, `${example}, P36525D at most`);
/** PostgreSQL and timers take no more than 2^31 milliseconds. */
export const deadline = durationWhere((milliseconds) => milliseconds > 0 && milliseconds <= DAY_MS, 'PT10S, a day at most');
/** A wait that may be none, and that no process manager would call hung. */
export const shortWait = durationWhere(
  (milliseconds) => milliseconds >= 0 && milliseconds <= 5 * MINUTE_MS,
  'PT5S, five minutes at most; PT0S is none',
);
const [TRIAL_FROM, TRIAL_UNTIL] = [Date.parse('1970-01-01T00:00:00Z'), Date.parse('2200-01-01T00:00:00Z')];
/** Milliseconds. The feed's times never decrease, so a time near the end of the years of four digits would lead beyond them for good. */
export const trialStart = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => Date.parse(text))
  .refine((time) => time >= TRIAL_FROM && time <= TRIAL_UNTIL)
  .meta({ allowed: 'an ISO 8601 time from 1970-01-01T00:00:00Z to 2200-01-01T00:00:00Z, such as 2025-11-01T00:00:00Z; for trials only' });
export const rate = matching(
  /^[1-9]\d{0,8}\/[1-9]\d{0,4}$/,
  (text) => {
    const [requests, seconds] = pairOf(text, Number);
    return { requests, seconds };
  },
  'requests/seconds such as 120/60',
);
export const count = matching(/^[1-9]\d{0,8}$/, Number, 'a whole number of at least 1');
export const searches = count.refine((value) => value <= 16).meta({ allowed: 'a whole number from 1 to 16' });
export const ceiling = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.tuple([rate, rate]))
  .transform(([sustained, burst]) => ({ sustained, burst }))
  .meta({ allowed: 'requests/seconds, and the same for the burst, such as 1000/60,100/1' });
export const hostNames = z
  .string()
  .toLowerCase()
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  .pipe(z.array(z.hostname()))
  .meta({ allowed: 'host names such as api-1, separated by commas' });
/** What `proxy-addr` reads: addresses, ranges, and three names for ranges. */
const PROXY_RANGES = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'linklocal', 'uniquelocal'])]);
export const proxies = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((range) => range.trim())))
  .pipe(z.array(PROXY_RANGES))
  .meta({ allowed: 'addresses and ranges such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas; or none' });
const httpUrl = z
  .url({ protocol: /^https?$/ })
  .transform((text) => text.replace(/\/+$/, ''))
  .meta({ allowed: 'an http or https URL' });
/** An address for a link. */
export const contact = z
  .union([z.email().transform((address) => `mailto:${address}`), z.url({ protocol: /^https?$/ })])
  .meta({ allowed: 'an e-mail address, or an http or https URL' });
/** The value may hold a password: an error does not show it. */
const SECRET = { secret: true };
export const secretUrl = httpUrl.meta(SECRET);
/** An address that documents and lists show and that paths are added to. */
export const publishedUrl = httpUrl
  .refine((text) => {
    const { href, origin, pathname } = new URL(text);
    return href === origin + pathname;
  })
  .meta({ allowed: 'an http or https URL without user, password, query and fragment', ...SECRET });
export const secretLogAddress = logAddress.meta({ allowed: LOG_ADDRESS_ALLOWED, ...SECRET });
export const credentials = kafkaSasl.meta({
  allowed: 'plain:user:password, scram-sha-256:user:password or scram-sha-512:user:password',
  ...SECRET,
});
export const brokers = kafkaBrokers.meta({ allowed: 'host:port of brokers, separated by commas' });
export const topic = topicName.meta({ allowed: 'a topic: letters, digits, dots, underscores and hyphens, 230 at most' });
export const address = matching(/^0x[0-9a-fA-F]{40}$/, asGiven, 'the address that is paid: 0x and 40 hex digits');
/** Smallest units of the asset; `none` disables sales. */
export const price = matching(
  /^([1-9]\d{0,17}|none)$/,
  (text) => (text === 'none' ? null : text),
  'a whole number of smallest units of USDC, or none to sell nothing',
);
export const dailyBudget = matching(
  /^[1-9]\d{0,20}\/[1-9]\d{0,20}$/,
  (text) => {
    const [perAccount, ofAll] = pairOf(text, BigInt);
    return { perAccount, ofAll };
  },
  'smallest units of one account in a UTC day/of all accounts, such as 10000000/1000000000',
);

/** Scheme, host and, where it is not the scheme's default, port, as a browser sends them. */
const isOrigin = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
export const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim().toLowerCase()))
  .refine((list) => list.every(isOrigin))
  .meta({ allowed: 'origins such as https://app.example.org, separated by commas' });

export const publicOrigins = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((origin) => origin.trim().toLowerCase())))
  .refine((list) => list.every((origin) => origin === '*' || isOrigin(origin)))
  .meta({ allowed: '* for every page, none, or origins such as https://app.example.org, separated by commas' });

function decodes(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, host, pathname } = new URL(text);
  const parts = [host, pathname, ...[username, password].filter((part) => !BARE_PERCENT.test(part))];
  return parts.every((part) => percentDecoded(part) !== null);
}
/** `pg` takes it for the sign itself. */
const BARE_PERCENT = /%(?![0-9a-f]{2})/i;
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//)
  .refine(decodes)
  .meta({ allowed: 'postgres://user:password@host:port/database', ...SECRET });
export const clients = matching(
  /^([a-z0-9-]+:)?[a-z0-9-]+(,([a-z0-9-]+:)?[a-z0-9-]+)*$/,
  asGiven,
  'client names such as fortworthgov or legistar:fortworthgov, separated by commas',
);
export const exporters = matching(
  /^(none|(otlp|console|zipkin)(,(otlp|console|zipkin))*)$/,
  asGiven,
  'otlp, console, zipkin, several of them separated by commas, or none',
);
