import { z } from 'zod';
import { kafkaBrokers, kafkaSasl, topicName } from '../domain/kafka-address.ts';
import { LOG_ADDRESS_ALLOWED, logAddress } from '../domain/log-address.ts';
import { PLANS_ALLOWED, plansSetting } from './edge/admission/plans.ts';
import {
  address,
  ceiling,
  count,
  dailyBudget,
  duration,
  hostNames,
  httpUrl,
  instant,
  MAX_SEARCHES,
  origins,
  port,
  postgresUrl,
  price,
  proxies,
  rate,
  searches,
  shortWait,
} from './setting-values.ts';

/** A setting that stops the start: one line that names it, its value and what is allowed. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

type Setting = readonly [schema: z.ZodType, fallback: string | undefined, allowed: string];
type Section = Readonly<Record<string, Setting>>;

/** `unset` says what holds without a value; a setting with a default needs no such text. */
const meaning = <Schema extends z.ZodType>(schema: Schema, description: string, unset?: string): Schema =>
  schema.meta({ description, ...(unset === undefined ? {} : { unset }) });

const LISTENERS = {
  CIVIC_HTTP_HOST: [meaning(z.string().min(1), 'Address of the public listener.'), '127.0.0.1', 'a host name or address'],
  CIVIC_HTTP_PORT: [meaning(port, 'Port of the public listener.'), '8080', 'a port from 0 to 65535; 0 picks a free one'],
  CIVIC_HTTP_MAX_CONNECTIONS: [meaning(count, 'Open connections of the public listener in total.'), '4000', 'a whole number of at least 1'],
  CIVIC_HTTP_MAX_CONNECTIONS_PER_CLIENT: [
    meaning(count, 'Open connections of one client address that is not a trusted proxy.'),
    '256',
    'a whole number of at least 1',
  ],
  CIVIC_HTTP_MAX_PIPELINED: [
    meaning(count, 'Requests of one connection that wait for the answer to an earlier request. More requests end the connection.'),
    '32',
    'a whole number of at least 1',
  ],
  CIVIC_TRUSTED_PROXIES: [
    meaning(proxies, 'Proxies whose `X-Forwarded-For` header is used to find the client address.'),
    'loopback',
    'addresses and ranges such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas; or none',
  ],
  CIVIC_ALLOWED_ORIGINS: [
    meaning(origins, 'Browser origins whose pages may call the tools. Clients that are not browsers send no origin.', 'none'),
    undefined,
    'origins such as https://app.example.org, separated by commas',
  ],
  CIVIC_BASE_URL: [
    meaning(httpUrl, 'Address of the service in documents and links: behind a proxy, the address of the proxy.', 'made from host and port'),
    undefined,
    'an http or https URL',
  ],
  CIVIC_OPS_HOST: [
    meaning(z.string().min(1), 'Address of the operator listener. The operator listener needs no key: keep it on a private network.'),
    '127.0.0.1',
    'a host name or address',
  ],
  CIVIC_OPS_PORT: [
    meaning(z.union([z.literal('off'), port]), 'Port of the operator listener; `off` disables it.'),
    '9464',
    'a port from 0 to 65535, or off',
  ],
  CIVIC_OPS_ALLOWED_HOSTS: [
    meaning(hostNames, 'Host names that the operator listener accepts beside `localhost`, IP addresses and `CIVIC_OPS_HOST`.'),
    '',
    'host names such as api-1, separated by commas',
  ],
  CIVIC_DRAIN_DELAY: [
    meaning(
      shortWait,
      'How long a stopping process accepts requests after `/readyz` answers 503. Use more than the time that the proxy needs to notice.',
    ),
    'PT0S',
    'an ISO 8601 duration such as PT5S, five minutes at most; PT0S is none',
  ],
} as const satisfies Section;

const STORES = {
  CIVIC_DATA_DIR: [
    meaning(
      z.string().min(1),
      'Data directory: the embedded PostgreSQL, its lock and [its password](deployment.md#the-embedded-postgresql-and-its-password).',
    ),
    '.civic',
    'a folder',
  ],
  DATABASE_URL: [
    meaning(
      postgresUrl,
      'A PostgreSQL server, version 15 or newer, with an empty database and the contrib module `pg_trgm`.',
      'the embedded PostgreSQL',
    ),
    undefined,
    'postgres://user:password@host:port/database',
  ],
  EVENTSTORE_URL: [
    meaning(
      logAddress,
      'The log is in [KurrentDB or EventStoreDB](log-on-kurrentdb.md): an `esdb://` or `kurrentdb://` address.',
      'the log is in PostgreSQL',
    ),
    undefined,
    LOG_ADDRESS_ALLOWED,
  ],
  CIVIC_REPLAY_RETENTION: [meaning(duration, 'How long the feed can be replayed.'), 'P30D', 'an ISO 8601 duration such as P30D'],
  CIVIC_SNAPSHOT_LIFETIME: [meaning(duration, 'How long a snapshot can be read.'), 'P7D', 'an ISO 8601 duration such as P7D'],
  CIVIC_REBUILD_KEPT: [
    meaning(duration, 'How long the tables that a rebuild replaced stay available for [switching back](rebuild.md).'),
    'P1D',
    'an ISO 8601 duration such as P1D',
  ],
  // PostgreSQL and timers take no more than 2^31 milliseconds.
  CIVIC_STATEMENT_TIMEOUT: [
    meaning(
      duration.refine((value) => value <= 86_400_000),
      'Deadline of a request; after it the answer is 504.',
    ),
    'PT10S',
    'an ISO 8601 duration such as PT10S, a day at most',
  ],
} as const satisfies Section;

const KAFKA = {
  KAFKA_BROKERS: [
    meaning(
      kafkaBrokers,
      'Brokers of [Kafka](feed-on-kafka.md). The roles `all` and `relay` publish the ordered feed there.',
      'no feed on Kafka',
    ),
    undefined,
    'host:port of brokers, separated by commas',
  ],
  CIVIC_KAFKA_FEED_TOPIC: [
    meaning(topicName, 'Topic of the feed. The relay creates it, and `<topic>.place` beside it.'),
    'civic.feed',
    'a topic: letters, digits, dots, underscores and hyphens, 230 at most',
  ],
  CIVIC_KAFKA_INLET_TOPIC: [
    meaning(
      topicName,
      'Topic from which record changes are read. A message that holds no valid change goes to `<topic>.rejected`.',
      'no inlet',
    ),
    undefined,
    'a topic: letters, digits, dots, underscores and hyphens, 230 at most',
  ],
  CIVIC_KAFKA_TLS: [
    meaning(z.enum(['on', 'off']), 'Encrypted connections. `NODE_EXTRA_CA_CERTS` names the file of a private certificate authority.'),
    'off',
    'on or off',
  ],
  CIVIC_KAFKA_SASL: [
    meaning(kafkaSasl, 'Mechanism, user and password for the brokers; `plain` needs TLS.', 'no authentication'),
    undefined,
    'plain:user:password, scram-sha-256:user:password or scram-sha-512:user:password',
  ],
} as const satisfies Section;

const LIMITS = {
  CIVIC_PLANS: [meaning(plansSetting, 'Allowances of the plans; a value that is left out keeps its built-in value.'), '{}', PLANS_ALLOWED],
  CIVIC_BILLING_ENFORCEMENT: [meaning(z.enum(['on', 'off']), 'With `off`, every account has paid access.'), 'on', 'on or off'],
  CIVIC_ABUSE_LIMIT: [
    meaning(ceiling, 'Limit of one account on a subscription, whatever its plan: sustained rate and burst.'),
    '1000/60,100/1',
    'requests/seconds, and the same for the burst, such as 1000/60,100/1',
  ],
  CIVIC_PUBLIC_LIMIT: [meaning(rate, 'Limit of one client address on the public operations.'), '120/60', 'requests/seconds such as 120/60'],
  CIVIC_REPORT_CLIENT_LIMIT: [
    meaning(rate, 'Limit of one client address on each report operation; it is applied before the key is checked.'),
    '60/60',
    'requests/seconds such as 60/60',
  ],
  CIVIC_REPORT_QUEUE_LIMIT: [meaning(count, 'Open missing-data reports in total.'), '1000', 'a whole number of at least 1'],
  CIVIC_REPORT_DAILY_BUDGET: [meaning(count, 'Investigations that start in one UTC day.'), '500', 'a whole number of at least 1'],
  CIVIC_SEARCH_CONCURRENCY: [
    meaning(
      searches,
      'Searches of one account that a process runs at once. Other searches wait for at most one second and are then refused with 429. The process opens twice as many connections for searches.',
    ),
    '1',
    `a whole number from 1 to ${MAX_SEARCHES}`,
  ],
} as const satisfies Section;

const PAYMENTS = {
  CIVIC_X402_PAY_TO: [
    meaning(address, 'Address that receives the payments. Pay as you go needs this setting and the next one.', 'no pay as you go'),
    undefined,
    'the address that is paid: 0x and 40 hex digits',
  ],
  CIVIC_X402_FACILITATOR_URL: [
    meaning(httpUrl, 'The x402 facilitator that verifies and settles payments.', 'no pay as you go'),
    undefined,
    'an http or https URL',
  ],
  CIVIC_X402_RPC_URL: [
    meaning(
      httpUrl,
      'A node of the chain that answers what became of a payment of unknown outcome.',
      'the facilitator is asked, then an operator decides',
    ),
    undefined,
    'an http or https URL',
  ],
  CIVIC_X402_AMOUNT: [
    meaning(price, 'Price of one call in smallest units of USDC; `none` sells nothing.'),
    '10000',
    'a whole number of smallest units of USDC, or none to sell nothing',
  ],
  CIVIC_X402_DAILY_BUDGET: [
    meaning(dailyBudget, 'Units that one account, and all accounts together, may spend in one UTC day.'),
    '10000000/1000000000',
    'smallest units of one account in a UTC day/of all accounts, such as 10000000/1000000000',
  ],
} as const satisfies Section;

const SOURCES = {
  CIVIC_SAMPLE: [
    meaning(
      z.enum(['on', 'off']),
      'Sample records and sample account; `civic sample remove` removes them.',
      '`on` for a new embedded log, else `off`',
    ),
    undefined,
    'on or off',
  ],
  CIVIC_POLL: [
    meaning(
      z.string().regex(/^([a-z0-9-]+:)?[a-z0-9-]+(,([a-z0-9-]+:)?[a-z0-9-]+)*$/),
      'Clients that the roles `all` and `worker` poll, as `SOURCE:CLIENT`; a client without a source is one of Legistar.',
      'no polling',
    ),
    undefined,
    'client names such as fortworthgov or legistar:fortworthgov, separated by commas',
  ],
  CIVIC_CLOCK_START: [
    meaning(instant, 'For trials only: the clock of the service starts at this time and runs on.', 'the time of the machine'),
    undefined,
    'an ISO 8601 time such as 2025-11-01T00:00:00Z; for trials only',
  ],
} as const satisfies Section;

const OBSERVATION = {
  CIVIC_LOG_LEVEL: [
    meaning(
      z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
      'Lowest level of log lines, which go to standard error.',
      '`info`; `warn` for commands',
    ),
    undefined,
    'trace, debug, info, warn, error, fatal or silent',
  ],
  CIVIC_LOG_FORMAT: [
    meaning(z.enum(['pretty', 'json']), 'Format of log lines.', '`pretty` on a terminal, else `json`'),
    undefined,
    'pretty or json',
  ],
  OTEL_TRACES_EXPORTER: [
    meaning(
      z.string().regex(/^(none|(otlp|console|zipkin)(,(otlp|console|zipkin))*)$/),
      'Exporter of [traces](traces.md). The other standard variables of OpenTelemetry apply too.',
      'no traces, unless an address is set',
    ),
    undefined,
    'otlp, console, zipkin, several of them separated by commas, or none',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [meaning(httpUrl, 'Address of the collector; turns traces on.', 'none'), undefined, 'an http or https URL'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [
    meaning(httpUrl, 'Address of the collector for traces alone; turns traces on.', 'none'),
    undefined,
    'an http or https URL',
  ],
  OTEL_SDK_DISABLED: [meaning(z.enum(['true', 'false']), 'With `true`, no traces.', '`false`'), undefined, 'true or false'],
} as const satisfies Section;

/** Every setting of this program by section: schema with its meaning, default, and what is allowed, in words. */
export const SETTING_SECTIONS: Readonly<Record<string, Section>> = {
  'Listeners and proxies': LISTENERS,
  'Stores and retention': STORES,
  Kafka: KAFKA,
  'Plans and limits': LIMITS,
  'Pay as you go': PAYMENTS,
  'Records and trials': SOURCES,
  'Logs and traces': OBSERVATION,
};

const SETTINGS = { ...LISTENERS, ...STORES, ...KAFKA, ...LIMITS, ...PAYMENTS, ...SOURCES, ...OBSERVATION } as const;

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
export function readSettings(environment: NodeJS.ProcessEnv): { readonly settings: Settings; readonly warnings: readonly string[] } {
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
}
