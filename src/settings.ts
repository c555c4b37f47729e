import { Duration } from 'luxon';
import { z } from 'zod';
import { kafkaBrokers, kafkaSasl, topicName } from './domain/kafka-address.ts';
import { LOG_ADDRESS_ALLOWED, logAddress } from './domain/log-address.ts';
import { PLANS_ALLOWED, plansSetting } from './admission/plans.ts';

/** A setting that stops the start: one line that names it, its value and what is allowed. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);
/** A century: what is counted on from now stays a time that can be written. */
const LONGEST_MS = 36_525 * 86_400_000;
export const duration = z.string().transform((text, context) => {
  const milliseconds = Duration.fromISO(text).toMillis();
  if (milliseconds > 0 && milliseconds <= LONGEST_MS) return milliseconds;
  context.addIssue({ code: 'custom', message: 'not a duration' });
  return z.NEVER;
});
/** A wait that may be none, and that no process manager would call hung. */
const shortWait = z.string().transform((text, context) => {
  const milliseconds = Duration.fromISO(text).toMillis();
  if (milliseconds >= 0 && milliseconds <= 300_000) return milliseconds;
  context.addIssue({ code: 'custom', message: 'not a short duration' });
  return z.NEVER;
});
const instant = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => Date.parse(text));
const rate = z
  .string()
  .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,4}$/)
  .transform((text) => {
    const [requests, seconds] = text.split('/').map(Number);
    return { requests: requests!, seconds: seconds! };
  });
const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);
const MOST_SEARCHES = 16;
const searches = count.refine((value) => value <= MOST_SEARCHES);
const ceiling = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.tuple([rate, rate]))
  .transform(([sustained, burst]) => ({ sustained, burst }));
const hostNames = z
  .string()
  .toLowerCase()
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  .pipe(z.array(z.hostname()));
/** What `proxy-addr` reads: addresses, ranges, and three names for ranges. */
const PROXY_RANGES = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'linklocal', 'uniquelocal'])]);
const proxies = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((range) => range.trim())))
  .pipe(z.array(PROXY_RANGES));
const httpUrl = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** Smallest units of the asset; `none` sells nothing for the time being. */
const price = z
  .string()
  .regex(/^([1-9]\d{0,17}|none)$/)
  .transform((text) => (text === 'none' ? null : text));
const dailyBudget = z
  .string()
  .regex(/^[1-9]\d{0,20}\/[1-9]\d{0,20}$/)
  .transform((text) => {
    const [perAccount, ofAll] = text.split('/').map(BigInt);
    return { perAccount: perAccount!, ofAll: ofAll! };
  });

/** As a browser writes them: scheme, host and, where it is not the scheme's own, port; nothing after that. */
const isOrigin = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim().toLowerCase()))
  .refine((list) => list.every(isOrigin));

const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(new URL(text).host + new URL(text).pathname);
    return true;
  } catch {
    return false;
  }
};
const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//)
  .refine(decodes);

/** Every setting of this program: how it is read, what it is without, and what is allowed, in words. */
const SETTINGS = {
  CIVIC_HTTP_HOST: [z.string().min(1), '127.0.0.1', 'a host name or address'],
  CIVIC_HTTP_PORT: [port, '8080', 'a port from 0 to 65535; 0 picks a free one'],
  CIVIC_HTTP_MAX_CONNECTIONS: [count, '4000', 'a whole number of at least 1'],
  CIVIC_HTTP_MAX_CONNECTIONS_PER_CLIENT: [count, '256', 'a whole number of at least 1'],
  CIVIC_HTTP_MAX_PIPELINED: [count, '32', 'a whole number of at least 1'],
  CIVIC_TRUSTED_PROXIES: [
    proxies,
    'loopback',
    'addresses and ranges such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas; or none',
  ],
  CIVIC_OPS_HOST: [z.string().min(1), '127.0.0.1', 'a host name or address'],
  CIVIC_OPS_PORT: [z.union([z.literal('off'), port]), '9464', 'a port from 0 to 65535, or off'],
  CIVIC_OPS_ALLOWED_HOSTS: [hostNames, '', 'host names such as api-1, separated by commas'],
  CIVIC_BASE_URL: [httpUrl, undefined, 'an http or https URL'],
  CIVIC_DATA_DIR: [z.string().min(1), '.civic', 'a folder'],
  DATABASE_URL: [postgresUrl, undefined, 'postgres://user:password@host:port/database'],
  EVENTSTORE_URL: [logAddress, undefined, LOG_ADDRESS_ALLOWED],
  KAFKA_BROKERS: [kafkaBrokers, undefined, 'host:port of brokers, separated by commas'],
  CIVIC_KAFKA_FEED_TOPIC: [topicName, 'civic.feed', 'a topic: letters, digits, dots, underscores and hyphens, 230 at most'],
  CIVIC_KAFKA_INLET_TOPIC: [topicName, undefined, 'a topic: letters, digits, dots, underscores and hyphens, 230 at most'],
  CIVIC_KAFKA_TLS: [z.enum(['on', 'off']), 'off', 'on or off'],
  CIVIC_KAFKA_SASL: [kafkaSasl, undefined, 'plain:user:password, scram-sha-256:user:password or scram-sha-512:user:password'],
  CIVIC_SAMPLE: [z.enum(['on', 'off']), undefined, 'on or off'],
  CIVIC_REPLAY_RETENTION: [duration, 'P30D', 'an ISO 8601 duration such as P30D'],
  CIVIC_SNAPSHOT_LIFETIME: [duration, 'P7D', 'an ISO 8601 duration such as P7D'],
  CIVIC_REBUILD_KEPT: [duration, 'P1D', 'an ISO 8601 duration such as P1D'],
  CIVIC_PUBLIC_LIMIT: [rate, '120/60', 'requests/seconds such as 120/60'],
  CIVIC_REPORT_CLIENT_LIMIT: [rate, '60/60', 'requests/seconds such as 60/60'],
  CIVIC_ABUSE_LIMIT: [ceiling, '1000/60,100/1', 'requests/seconds, and the same for the burst, such as 1000/60,100/1'],
  CIVIC_PLANS: [plansSetting, '{}', PLANS_ALLOWED],
  CIVIC_BILLING_ENFORCEMENT: [z.enum(['on', 'off']), 'on', 'on or off'],
  CIVIC_ALLOWED_ORIGINS: [origins, undefined, 'origins such as https://app.example.org, separated by commas'],
  // PostgreSQL and timers take no more than 2^31 milliseconds.
  CIVIC_STATEMENT_TIMEOUT: [duration.refine((value) => value <= 86_400_000), 'PT10S', 'an ISO 8601 duration such as PT10S, a day at most'],
  CIVIC_SEARCH_CONCURRENCY: [searches, '1', `a whole number from 1 to ${MOST_SEARCHES}`],
  CIVIC_DRAIN_DELAY: [shortWait, 'PT0S', 'an ISO 8601 duration such as PT5S, five minutes at most; PT0S is none'],
  CIVIC_REPORT_QUEUE_LIMIT: [count, '1000', 'a whole number of at least 1'],
  CIVIC_REPORT_DAILY_BUDGET: [count, '500', 'a whole number of at least 1'],
  CIVIC_CLOCK_START: [instant, undefined, 'an ISO 8601 time such as 2025-11-01T00:00:00Z; for trials only'],
  CIVIC_POLL: [z.string().regex(/^[a-z0-9-]+(,[a-z0-9-]+)*$/), undefined, 'client names of Legistar, separated by commas'],
  CIVIC_X402_PAY_TO: [address, undefined, 'the address that is paid: 0x and 40 hex digits'],
  CIVIC_X402_FACILITATOR_URL: [httpUrl, undefined, 'an http or https URL'],
  CIVIC_X402_RPC_URL: [httpUrl, undefined, 'an http or https URL'],
  CIVIC_X402_AMOUNT: [price, '10000', 'a whole number of smallest units of USDC, or none to sell nothing'],
  CIVIC_X402_DAILY_BUDGET: [
    dailyBudget,
    '10000000/1000000000',
    'smallest units of one account in a UTC day/of all accounts, such as 10000000/1000000000',
  ],
  OTEL_TRACES_EXPORTER: [
    z.string().regex(/^(none|(otlp|console|zipkin)(,(otlp|console|zipkin))*)$/),
    undefined,
    'otlp, console, zipkin, several of them separated by commas, or none',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [httpUrl, undefined, 'an http or https URL'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [httpUrl, undefined, 'an http or https URL'],
  OTEL_SDK_DISABLED: [z.enum(['true', 'false']), undefined, 'true or false'],
  CIVIC_LOG_LEVEL: [
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    undefined,
    'trace, debug, info, warn, error, fatal or silent',
  ],
  CIVIC_LOG_FORMAT: [z.enum(['pretty', 'json']), undefined, 'pretty or json'],
} as const satisfies Record<string, readonly [z.ZodType, string | undefined, string]>;

type Name = keyof typeof SETTINGS;
type Read<N extends Name> = z.output<(typeof SETTINGS)[N][0]> | (undefined extends (typeof SETTINGS)[N][1] ? undefined : never);
export type Settings = { readonly [N in Name]: Read<N> };

/** Settings whose value may hold a password: an error names what is allowed, not what was given. */
const SECRET: ReadonlySet<string> = new Set([
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'DATABASE_URL',
  'EVENTSTORE_URL',
  'CIVIC_X402_FACILITATOR_URL',
  'CIVIC_X402_RPC_URL',
  'CIVIC_KAFKA_SASL',
]);

/** Reads the settings; an unknown `CIVIC_…` name is a warning, a bad value throws `BadSetting`. */
export const readSettings = (environment: NodeJS.ProcessEnv): { readonly settings: Settings; readonly warnings: readonly string[] } => {
  const settings: Record<string, unknown> = {};
  for (const [name, [schema, fallback, allowed]] of Object.entries(SETTINGS)) {
    const given = environment[name] === '' ? undefined : environment[name];
    const text = given ?? fallback;
    if (text === undefined) continue;
    const parsed = schema.safeParse(text);
    if (!parsed.success) {
      throw new BadSetting(`${name} is ${SECRET.has(name) ? 'not usable' : JSON.stringify(text)}; allowed is ${allowed}`);
    }
    settings[name] = parsed.data;
  }
  const unknown = Object.keys(environment).filter((name) => name.startsWith('CIVIC_') && !Object.hasOwn(SETTINGS, name));
  return {
    settings: settings as Settings,
    warnings: unknown.map((name) => `unknown setting ${name}; known are ${Object.keys(SETTINGS).join(', ')}`),
  };
};
