import { Duration } from 'luxon';
import { z } from 'zod';
import { DAY_MS, MINUTE_MS } from '../../domain/durations.ts';
import { kafkaBrokers, kafkaSasl, topicName } from '../../domain/ports/kafka.ts';
import { LOG_ADDRESS_ALLOWED, logAddress } from '../../plumbing/log-address.ts';
import { percentDecoded } from '../../plumbing/percent-encoding.ts';

export const allowedBy = (schema: z.ZodType): string => String(schema.meta()?.['allowed']);
/** True if the value might contain a password, so that errors must not show it. */
export const isSecret = (schema: z.ZodType): boolean => schema.meta()?.['secret'] === true;

const matching = <Value>(form: RegExp, read: (text: string) => Value, allowed: string) =>
  z.string().regex(form).transform(read).meta({ allowed });
const asText = (text: string): string => text;
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
/** Parses an ISO 8601 duration to milliseconds. Other text becomes NaN, which no limit allows. */
const durationWhere = (isAllowed: (milliseconds: number) => boolean, example: string) =>
  z
    .string()
    // Naming a locale saves luxon the lookup of the system locale, a tenth of the time of a short command.
    .transform((text) => Duration.fromISO(text, { locale: 'en' }).toMillis())
    .refine(isAllowed)
    .meta({ allowed: `an ISO 8601 duration such as ${example}` });
/** Limited to a century, so that now plus the duration is still a valid date. */
export const duration = (example: string) =>
  durationWhere((milliseconds) => milliseconds > 0 && milliseconds <= 36_525 * DAY_MS, `${example}, P36525D at most`);
/** PostgreSQL and timers accept at most 2^31 milliseconds. */
export const deadline = durationWhere(
  (milliseconds) => milliseconds > 0 && milliseconds <= DAY_MS,
  'PT10S, a day at most',
);
/** Zero is allowed; the maximum stays below the stop timeout of process managers. */
export const shortWait = durationWhere(
  (milliseconds) => milliseconds >= 0 && milliseconds <= 5 * MINUTE_MS,
  'PT5S, five minutes at most; PT0S is none',
);
const [TRIAL_FROM, TRIAL_UNTIL] = [Date.parse('1970-01-01T00:00:00Z'), Date.parse('2200-01-01T00:00:00Z')];
/** Milliseconds. The feed's times never decrease, so a time near the year 9999 would push all later ones beyond four-digit years. */
export const trialStart = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => Date.parse(text))
  .refine((time) => time >= TRIAL_FROM && time <= TRIAL_UNTIL)
  .meta({
    allowed:
      'an ISO 8601 time from 1970-01-01T00:00:00Z to 2200-01-01T00:00:00Z, such as 2025-11-01T00:00:00Z; for trials only',
  });
export const rate = matching(
  /^[1-9]\d{0,8}\/[1-9]\d{0,4}$/,
  (text) => {
    const [requests, seconds] = pairOf(text, Number);
    return { requests, seconds };
  },
  'requests/seconds such as 120/60',
);
export const ipv6Prefix = matching(/^(3[2-9]|[4-9]\d|1[01]\d|12[0-8])$/, Number, 'a number of bits from 32 to 128');
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
/** Values that `proxy-addr` accepts: addresses, ranges, and three names for ranges. */
const PROXY_RANGES = z.union([
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
]);
export const proxies = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((range) => range.trim())))
  .pipe(z.array(PROXY_RANGES))
  .meta({
    allowed:
      'addresses and ranges such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas; or none',
  });
const httpUrl = z
  .url({ protocol: /^https?$/ })
  .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
  .meta({ allowed: 'an http or https URL' });
/** An address for a link. */
export const contact = z
  .union([z.email().transform((address) => `mailto:${address}`), z.url({ protocol: /^https?$/ })])
  .meta({ allowed: 'an e-mail address, or an http or https URL' });
const SECRET = { secret: true };
export const secretUrl = httpUrl.meta(SECRET);
/** An address that documents and lists show and that paths are added to. */
export const publishedUrl = httpUrl
  .refine((text) => {
    const { href, origin, pathname } = new URL(text);
    return href === origin + pathname;
  })
  .meta({ allowed: 'an http or https URL without user, password, query and fragment', ...SECRET });
/** Pages link to paths from the root of the host, so the service cannot be published below a path. */
export const serviceUrl = publishedUrl
  .refine((text) => new URL(text).pathname === '/')
  .meta({
    allowed:
      'an http or https URL without path, user, password, query and fragment: give the service its own host name',
    ...SECRET,
  });
export const secretLogAddress = logAddress.meta({ allowed: LOG_ADDRESS_ALLOWED, ...SECRET });
export const credentials = kafkaSasl.meta({
  allowed: 'plain:user:password, scram-sha-256:user:password or scram-sha-512:user:password',
  ...SECRET,
});
export const brokers = kafkaBrokers.meta({ allowed: 'host:port of brokers, separated by commas' });
export const topic = topicName.meta({
  allowed: 'a topic: letters, digits, dots, underscores and hyphens, 230 at most',
});
export const address = matching(/^0x[0-9a-fA-F]{40}$/, asText, 'the address that is paid: 0x and 40 hex digits');
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

/** An origin as browsers send it: scheme, host, and the port unless it is the scheme's default. */
const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
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

function canDecode(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, host, pathname } = new URL(text);
  const parts = [host, pathname, ...[username, password].filter((part) => !BARE_PERCENT.test(part))];
  return parts.every((part) => percentDecoded(part) !== null);
}
/** A percent sign that starts no escape; `pg` reads it as a literal percent sign. */
const BARE_PERCENT = /%(?![0-9a-f]{2})/i;
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//)
  .refine(canDecode)
  .meta({ allowed: 'postgres://user:password@host:port/database', ...SECRET });
export const clients = matching(
  /^([a-z0-9-]+:)?[a-z0-9.-]+(,([a-z0-9-]+:)?[a-z0-9.-]+)*$/,
  asText,
  'client names such as fortworthgov or legistar:fortworthgov, separated by commas',
);
const SOURCE_TOKEN = /^(?:([a-z0-9-]+):)?([a-z0-9-]+)=([^\s,]+)$/;
/** Tokens by `SOURCE:CLIENT`; a client without a source belongs to Legistar. */
export const sourceTokens = z
  .string()
  .transform((text) => text.split(',').map((entry) => SOURCE_TOKEN.exec(entry.trim())))
  .refine((entries) => entries.every((entry) => entry !== null))
  .transform((entries) => new Map(entries.map((entry) => [`${entry![1] ?? 'legistar'}:${entry![2]!}`, entry![3]!])))
  .meta({ allowed: 'clients with their tokens such as legistar:nyc=TOKEN, separated by commas', ...SECRET });
export const exporters = matching(
  /^(none|(otlp|console|zipkin)(,(otlp|console|zipkin))*)$/,
  asText,
  'otlp, console, zipkin, several of them separated by commas, or none',
);
