import type { z } from 'zod';
import { plansSetting } from '../edge/admission/plans.ts';
import * as kind from './setting-values.ts';

/** `fallback` is the default, or describes what happens if the setting is unset. */
export type Setting = readonly [schema: z.ZodType, fallback: string | { readonly unset: string }, meaning: string];
type Section = Readonly<Record<string, Setting>>;

const LISTENERS = {
  CIVIC_HTTP_HOST: [kind.hostName, '127.0.0.1', 'Address of the public listener.'],
  CIVIC_HTTP_PORT: [kind.port, '8080', 'Port of the public listener.'],
  CIVIC_HTTP_MAX_CONNECTIONS: [kind.count, '4000', 'Open connections of the public listener in total.'],
  CIVIC_HTTP_MAX_CONNECTIONS_PER_CLIENT: [
    kind.count,
    '256',
    'Open connections of one client address that is not a trusted proxy.',
  ],
  CIVIC_HTTP_MAX_PIPELINED: [
    kind.count,
    '32',
    'Requests of one connection that wait for the answer to an earlier request. More requests end the connection.',
  ],
  CIVIC_IPV6_PREFIX: [
    kind.ipv6Prefix,
    '64',
    'Leading bits of an IPv6 address that are one client for every limit by address: a network has 2^64 addresses.',
  ],
  CIVIC_TRUSTED_PROXIES: [
    kind.proxies,
    'loopback',
    'Proxies whose `X-Forwarded-For` header is used to find the client address.',
  ],
  CIVIC_ALLOWED_ORIGINS: [
    kind.origins,
    { unset: 'none' },
    'Browser origins whose pages may call the tools. Clients that are not browsers send no origin.',
  ],
  CIVIC_PUBLIC_ORIGINS: [
    kind.publicOrigins,
    '*',
    'Browser origins whose pages may read the public answers and the documents.',
  ],
  CIVIC_BASE_URL: [
    kind.serviceUrl,
    { unset: 'made from host and port' },
    'Address of the service in documents and links: behind a proxy, the address of the proxy.',
  ],
  CIVIC_CONTACT: [
    kind.contact,
    { unset: 'pages name no address' },
    'Where readers of the pages report errors: an e-mail address or a page. Requests to sources name it in `User-Agent`.',
  ],
  CIVIC_OPS_HOST: [
    kind.hostName,
    '127.0.0.1',
    'Address of the operator listener. The operator listener needs no key: keep it on a private network.',
  ],
  CIVIC_OPS_PORT: [kind.portOrOff, '9464', 'Port of the operator listener; `off` disables it.'],
  CIVIC_OPS_ALLOWED_HOSTS: [
    kind.hostNames,
    '',
    'Host names that the operator listener accepts in addition to `localhost`, IP addresses and `CIVIC_OPS_HOST`.',
  ],
  CIVIC_DRAIN_DELAY: [
    kind.shortWait,
    'PT0S',
    'How long a stopping process accepts requests after `/readyz` answers 503. Use more than the time that the proxy needs to notice.',
  ],
} as const satisfies Section;

const STORES = {
  CIVIC_DATA_DIR: [
    kind.folder,
    '.civic',
    'Data directory: the embedded PostgreSQL, its lock and [its password](deployment.md#the-embedded-postgresql-and-its-password).',
  ],
  DATABASE_URL: [
    kind.postgresUrl,
    { unset: 'the embedded PostgreSQL' },
    'A PostgreSQL server, version 15 or newer, with an empty database and the contrib module `pg_trgm`.',
  ],
  EVENTSTORE_URL: [
    kind.secretLogAddress,
    { unset: 'the log is in PostgreSQL' },
    'The log is in [KurrentDB or EventStoreDB](log-on-kurrentdb.md): an `esdb://` or `kurrentdb://` address.',
  ],
  CIVIC_REPLAY_RETENTION: [kind.duration('P30D'), 'P30D', 'How long the feed can be replayed.'],
  CIVIC_SNAPSHOT_LIFETIME: [kind.duration('P7D'), 'P7D', 'How long a snapshot can be read.'],
  CIVIC_REBUILD_KEPT: [
    kind.duration('P1D'),
    'P1D',
    'How long the tables that a rebuild replaced stay available for [switching back](rebuild.md).',
  ],
  CIVIC_STATEMENT_TIMEOUT: [kind.deadline, 'PT10S', 'Deadline of a request; after it the answer is 504.'],
} as const satisfies Section;

const KAFKA = {
  KAFKA_BROKERS: [
    kind.brokers,
    { unset: 'no feed on Kafka' },
    'Brokers of [Kafka](feed-on-kafka.md). The roles `all` and `relay` publish the ordered feed there.',
  ],
  CIVIC_KAFKA_FEED_TOPIC: [
    kind.topic,
    'civic.feed',
    'Topic of the feed. The relay creates it, and `<topic>.place` with it.',
  ],
  CIVIC_KAFKA_INLET_TOPIC: [
    kind.topic,
    { unset: 'no inlet' },
    'Topic from which record changes are read. A message that contains no valid change goes to `<topic>.rejected`.',
  ],
  CIVIC_KAFKA_TLS: [
    kind.oneOf('on', 'off'),
    'off',
    'Encrypted connections. `NODE_EXTRA_CA_CERTS` names the file of a private certificate authority.',
  ],
  CIVIC_KAFKA_SASL: [
    kind.credentials,
    { unset: 'no authentication' },
    'Mechanism, user and password for the brokers; `plain` needs TLS.',
  ],
} as const satisfies Section;

const LIMITS = {
  CIVIC_PLANS: [plansSetting, '{}', 'Allowances of the plans; an omitted value keeps its built-in value.'],
  CIVIC_BILLING_ENFORCEMENT: [kind.oneOf('on', 'off'), 'on', 'With `off`, every account has paid access.'],
  CIVIC_ABUSE_LIMIT: [
    kind.ceiling,
    '1000/60,100/1',
    'Limit of one account on a subscription, whatever its plan: sustained rate and burst.',
  ],
  CIVIC_PUBLIC_LIMIT: [kind.rate, '120/60', 'Limit of one client address on the public operations.'],
  CIVIC_REPORT_CLIENT_LIMIT: [
    kind.rate,
    '60/60',
    'Limit of one client address on each report operation; it is applied before the key is checked.',
  ],
  CIVIC_REPORT_QUEUE_LIMIT: [kind.count, '1000', 'Open missing-data reports in total.'],
  CIVIC_REPORT_DAILY_BUDGET: [kind.count, '500', 'Investigations that start in one UTC day.'],
  CIVIC_SEARCH_CONCURRENCY: [
    kind.searches,
    '1',
    'Searches of one account that a process runs at once. Other searches wait for at most one second and are then refused with 429. The process opens twice as many connections for searches.',
  ],
} as const satisfies Section;

const PAYMENTS = {
  CIVIC_X402_PAY_TO: [
    kind.address,
    { unset: 'no pay as you go' },
    'Address that receives the payments. Pay as you go needs this setting and the next one.',
  ],
  CIVIC_X402_FACILITATOR_URL: [
    kind.secretUrl,
    { unset: 'no pay as you go' },
    'The x402 facilitator that verifies and settles payments.',
  ],
  CIVIC_X402_RPC_URL: [
    kind.secretUrl,
    { unset: 'the facilitator decides, then an operator' },
    'Chain node used to look up payments whose outcome is unknown.',
  ],
  CIVIC_X402_AMOUNT: [kind.price, '10000', 'Price of one call in smallest units of USDC; `none` sells nothing.'],
  CIVIC_X402_DAILY_BUDGET: [
    kind.dailyBudget,
    '10000000/1000000000',
    'Units that one account, and all accounts together, may spend in one UTC day.',
  ],
} as const satisfies Section;

const SOURCES = {
  CIVIC_SAMPLE: [
    kind.oneOf('on', 'off'),
    { unset: '`on` for a new embedded log, else `off`' },
    'Sample records and sample account; `civic sample remove` removes them.',
  ],
  CIVIC_POLL: [
    kind.clients,
    { unset: 'no polling' },
    'Clients that the roles `all` and `worker` poll, as `SOURCE:CLIENT`; a client without a source is one of Legistar.',
  ],
  CIVIC_SOURCE_TOKENS: [
    kind.sourceTokens,
    { unset: 'no client needs a token' },
    'Tokens of clients of Legistar that need one, as `SOURCE:CLIENT=TOKEN`, for polls and commands.',
  ],
  CIVIC_SOURCE_PAUSE: [
    kind.shortWait,
    'PT1S',
    'Pause between two requests for pages or documents to one host. Published APIs, such as that of Legistar, are read without it.',
  ],
  CIVIC_CLOCK_START: [
    kind.trialStart,
    { unset: 'the time of the machine' },
    'For trials only: the clock of the service starts at this time and runs on.',
  ],
} as const satisfies Section;

const OBSERVATION = {
  CIVIC_LOG_LEVEL: [
    kind.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    { unset: '`info`; `warn` for commands' },
    'Lowest level of log lines, which go to standard error.',
  ],
  CIVIC_LOG_FORMAT: [
    kind.oneOf('pretty', 'json'),
    { unset: '`pretty` on a terminal, else `json`' },
    'Format of log lines. With `json`, a start prints its addresses as a line of JSON too.',
  ],
  OTEL_TRACES_EXPORTER: [
    kind.exporters,
    { unset: 'no traces, unless an address is set' },
    'Exporter of [traces](traces.md). The other standard variables of OpenTelemetry apply too.',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [kind.secretUrl, { unset: 'none' }, 'Address of the collector; turns traces on.'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [
    kind.secretUrl,
    { unset: 'none' },
    'Address of the collector for traces alone; turns traces on.',
  ],
  OTEL_SDK_DISABLED: [kind.oneOf('true', 'false'), { unset: '`false`' }, 'With `true`, no traces.'],
} as const satisfies Section;

export const SETTING_SECTIONS: Readonly<Record<string, Section>> = {
  'Listeners and proxies': LISTENERS,
  'Stores and retention': STORES,
  Kafka: KAFKA,
  'Plans and limits': LIMITS,
  'Pay as you go': PAYMENTS,
  'Records and trials': SOURCES,
  'Logs and traces': OBSERVATION,
};

export const SETTINGS = {
  ...LISTENERS,
  ...STORES,
  ...KAFKA,
  ...LIMITS,
  ...PAYMENTS,
  ...SOURCES,
  ...OBSERVATION,
} as const;
