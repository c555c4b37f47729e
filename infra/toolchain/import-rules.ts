import type { IForbiddenRuleType, IRegularForbiddenRuleType } from 'dependency-cruiser';

/** What one part of the house may import: parts of ours and of Node as path patterns, libraries by `LIBRARIES`. */
interface Part {
  readonly from: string;
  readonly ours: readonly string[];
  /** Modules of Node itself; all of them where left out. */
  readonly node?: readonly string[];
}

const DOMAIN = '^src/domain/';
const CONTRACT = '^src/contract/';
const COMMANDS = '^commands/';
const QUERIES = '^queries/';
/** What a customer runs against the service; it shares words with us and nothing else. */
const CLIENT = '^client/';
const INWARD = [DOMAIN, CONTRACT, COMMANDS, QUERIES];
const EDGES = '^src/(http|ops|metrics|mcp|cli|serving|admission|sources|documents|reactors|answers)/';
const PROGRAM = '^src/(settings|civic|read-models)[.]ts$';

/** The table of the architecture page; `test` and `bench` are under no rule but the ones on circles and on what cannot be found. */
const PARTS: readonly Part[] = [
  { from: DOMAIN, ours: [DOMAIN], node: ['crypto', 'net', 'zlib'] },
  { from: CONTRACT, ours: [CONTRACT, DOMAIN], node: [] },
  { from: COMMANDS, ours: [COMMANDS, DOMAIN], node: ['crypto'] },
  { from: '^projections/', ours: ['^projections/', DOMAIN], node: ['crypto'] },
  { from: QUERIES, ours: [QUERIES, DOMAIN, CONTRACT, '^projections/[^/]+/tables[.]ts$'], node: ['crypto'] },
  { from: '^src/reactors/', ours: ['^src/reactors/', DOMAIN, COMMANDS, QUERIES] },
  { from: '^src/admission/', ours: ['^src/admission/', ...INWARD] },
  { from: '^src/sources/', ours: ['^src/sources/', ...INWARD] },
  { from: '^src/documents/', ours: ['^src/documents/', ...INWARD] },
  { from: '^src/answers/', ours: ['^src/(answers|admission)/', ...INWARD] },
  { from: '^src/metrics/', ours: ['^src/metrics/', DOMAIN, QUERIES] },
  { from: '^src/(http|ops|mcp)/', ours: ['^src/(http|ops|answers|metrics|mcp|admission|documents)/', ...INWARD] },
  { from: '^src/cli/', ours: [EDGES, PROGRAM, CLIENT, '^projections/', ...INWARD] },
  { from: '^src/serving/', ours: [EDGES, PROGRAM, '^projections/', ...INWARD] },
  { from: CLIENT, ours: [CLIENT, DOMAIN] },
  { from: PROGRAM, ours: [PROGRAM, '^src/(admission|mcp|sources|documents|reactors)/', '^projections/', ...INWARD] },
  { from: '^infra/', ours: ['^infra/', DOMAIN] },
];

const ENTRY = '^src/(main[.]ts|composition[.]ts|composition/)';
const CHECKED = '^(src|commands|projections|queries|infra|client)/';
const EXEMPT = '^(test|bench|vitest[.]config[.]ts)';

/** Where each library is imported; one that reaches outside has one folder, so that replacing it is a one-folder change. */
export const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  zod: ['^src/', COMMANDS, '^projections/', QUERIES, '^infra/'],
  uuid: [DOMAIN],
  canonicalize: [DOMAIN],
  luxon: ['^src/sources/', '^src/settings[.]ts$'],
  commander: ['^src/cli/', '^src/main[.]ts$'],
  'cli-progress': ['^src/cli/'],
  fastify: ['^src/(http|ops)/'],
  '@fastify/cors': ['^src/http/'],
  'lru-cache': ['^src/(answers|http)/'],
  negotiator: ['^src/http/'],
  '@fastify/proxy-addr': ['^src/http/'],
  '@modelcontextprotocol/server': ['^src/mcp/'],
  'prom-client': ['^src/(metrics|ops)/', '^src/serving/'],
  pino: ['^infra/system/'],
  '@opentelemetry/api': ['^infra/telemetry/'],
  '@opentelemetry/sdk-node': ['^infra/telemetry/'],
  'pino-pretty': ['^infra/system/'],
  pg: ['^infra/postgresql/', CLIENT],
  'node-pg-migrate': ['^infra/postgresql/'],
  '@eventstore/db-client': ['^infra/kurrentdb/'],
  'google-protobuf': ['^infra/kurrentdb/'],
  kafkajs: ['^infra/kafka/'],
  slonik: ['^infra/postgresql/', QUERIES, '^projections/'],
  '@x402/core': ['^infra/x402/'],
  '@x402/evm': ['^infra/x402/'],
  viem: ['^infra/x402/'],
  'dependency-cruiser': ['^infra/toolchain/'],
};

const library = (name: string): string => `(^|/)node_modules/(@types/)?${name}/`;

const readable = (patterns: readonly string[]): string =>
  patterns
    .join(', ')
    .replaceAll(/\^|\$|\/(?=,|$)/g, '')
    .replaceAll('[.]', '.');

const ofPart = ({ from, ours, node }: Part): readonly IRegularForbiddenRuleType[] => [
  {
    name: `${readable([from])} may import of ours only ${readable(ours)}`,
    severity: 'error',
    from: { path: from },
    to: { pathNot: [...ours, 'node_modules/'], dependencyTypesNot: ['core'] },
  },
  ...(node === undefined
    ? []
    : [
        {
          name: `${readable([from])} may import of Node only ${node.join(', ') || 'nothing'}`,
          severity: 'error' as const,
          from: { path: from },
          to: { dependencyTypes: ['core' as const], ...(node.length === 0 ? {} : { pathNot: `^(node:)?(${node.join('|')})$` }) },
        },
      ]),
];

const ofLibrary = ([name, folders]: readonly [string, readonly string[]]): IRegularForbiddenRuleType => ({
  name: `${name} stays in ${readable(folders)}`,
  severity: 'error',
  from: { path: CHECKED, pathNot: [...folders] },
  to: { path: library(name) },
});

/** The directions as rules for dependency-cruiser. Imports of types count like all others. */
export const IMPORT_RULES: readonly IForbiddenRuleType[] = [
  { name: 'no circles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'every import is found', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ...PARTS.flatMap(ofPart),
  {
    name: 'queries take types alone from the contract',
    severity: 'error',
    from: { path: QUERIES },
    to: { path: CONTRACT, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'one system of infra knows no other but the machine',
    severity: 'error',
    from: { path: '^infra/([^/]+)/' },
    to: { path: '^infra/', pathNot: '^infra/($1|toolchain|system)/' },
  },
  {
    name: 'only the entry and the composition import infra',
    severity: 'error',
    from: { path: CHECKED, pathNot: ['^infra/', ENTRY] },
    to: { path: '^infra/' },
  },
  { name: 'nothing imports the entry', severity: 'error', from: { pathNot: EXEMPT }, to: { path: '^src/main[.]ts$' } },
  {
    name: 'only the entry imports the composition',
    severity: 'error',
    from: { path: CHECKED, pathNot: ENTRY },
    to: { path: '^src/composition([.]ts|/)' },
  },
  { name: 'the program does not need its tests', severity: 'error', from: { path: CHECKED }, to: { path: '^(test|bench)/' } },
  ...Object.entries(LIBRARIES).map(ofLibrary),
  {
    name: 'a new library gets its line among the import rules',
    severity: 'error',
    from: { path: CHECKED },
    to: { path: 'node_modules/', pathNot: Object.keys(LIBRARIES).map(library) },
  },
];
