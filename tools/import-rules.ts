import type { IForbiddenRuleType, IRegularForbiddenRuleType } from 'dependency-cruiser';

/**
 * Allowed imports of one part of the code: our folders and modules of Node as patterns; `LIBRARIES` lists the
 * libraries.
 */
interface Part {
  readonly from: string;
  readonly ours: readonly string[];
  /** Allowed modules of Node; all of them if omitted. */
  readonly node?: readonly string[];
}

const DOMAIN = '^domain/';
const PLUMBING = '^plumbing/';
const CONTRACT = '^contract/';
const COMMANDS = '^commands/';
const QUERIES = '^queries/';
/** Code that customers run. */
const CLIENT = '^client/';
const PROJECTIONS = '^projections/';
const BELOW_EDGES = [DOMAIN, CONTRACT, COMMANDS, QUERIES];
const EDGES = '^src/(edge|processors|classifier|sources|cli|app/serving)/';
const PROGRAM = '^src/app/(settings|setting-sections|setting-values|civic|read-models|platform|roles)[.]ts$';
const MODULES = '^src/app/modules/';

/** Table of the architecture page. Only the rules about cycles and missing modules apply to `test` and `bench`. */
const PARTS: readonly Part[] = [
  { from: DOMAIN, ours: [DOMAIN], node: ['crypto', 'module', 'net', 'url', 'zlib'] },
  { from: PLUMBING, ours: [PLUMBING, DOMAIN] },
  { from: CONTRACT, ours: [CONTRACT, DOMAIN], node: [] },
  { from: COMMANDS, ours: [COMMANDS, DOMAIN], node: ['crypto'] },
  { from: PROJECTIONS, ours: [PROJECTIONS, DOMAIN, PLUMBING], node: ['crypto'] },
  {
    from: QUERIES,
    ours: [QUERIES, DOMAIN, PLUMBING, CONTRACT, '^projections/tables[.]ts$', '^projections/[^/]+/tables[.]ts$'],
    node: ['crypto'],
  },
  { from: CLIENT, ours: [CLIENT, DOMAIN, PLUMBING] },
  // It runs in browsers too.
  { from: '^client/(api|generated)/', ours: ['^client/(api|generated)/'], node: [] },
  { from: '^infra/', ours: ['^infra/', DOMAIN, PLUMBING] },
  { from: '^src/classifier/', ours: ['^src/classifier/', DOMAIN, PLUMBING] },
  {
    from: '^src/processors/',
    ours: ['^src/(processors|classifier)/', PROJECTIONS, DOMAIN, PLUMBING, COMMANDS, QUERIES],
  },
  { from: '^src/sources/', ours: ['^src/sources/', ...BELOW_EDGES] },
  { from: '^src/edge/(http|ops|mcp)/', ours: ['^src/edge/', PLUMBING, ...BELOW_EDGES] },
  {
    from: '^src/edge/admission/',
    ours: ['^src/edge/admission/', PLUMBING, '^projections/accounts/tables[.]ts$', ...BELOW_EDGES],
  },
  { from: '^src/edge/documents/', ours: ['^src/edge/documents/', PLUMBING, ...BELOW_EDGES] },
  {
    from: '^src/edge/pages/',
    ours: ['^src/edge/(pages|documents)/', PLUMBING, ...BELOW_EDGES],
  },
  { from: '^src/edge/answers/', ours: ['^src/edge/(answers|admission)/', ...BELOW_EDGES] },
  { from: '^src/edge/metrics/', ours: ['^src/edge/metrics/', DOMAIN, PLUMBING, QUERIES] },
  { from: '^src/(cli|app/serving)/', ours: [EDGES, PROGRAM, CLIENT, PROJECTIONS, PLUMBING, ...BELOW_EDGES] },
  {
    from: MODULES,
    ours: [
      MODULES,
      '^src/(edge|processors|classifier|sources)/',
      '^src/app/(platform|roles)[.]ts$',
      PROJECTIONS,
      PLUMBING,
      ...BELOW_EDGES,
    ],
  },
  {
    from: '^src/app/(settings|setting-sections|setting-values)[.]ts$',
    ours: ['^src/app/(settings|setting-sections|setting-values)[.]ts$', '^src/edge/admission/', DOMAIN, PLUMBING],
  },
  { from: '^src/app/read-models[.]ts$', ours: ['^src/sources/', PROJECTIONS, DOMAIN] },
  { from: '^src/app/civic[.]ts$', ours: ['^src/app/composition[.]ts$'] },
];

const ENTRY = '^src/(main[.]ts|app/composition[.]ts|app/platform[.]ts|app/composition/)';
const CHECKED = '^(domain|plumbing|contract|src|commands|projections|queries|infra|client|tools)/';
const EXEMPT = '^(test|bench|vitest[.]config[.]ts)';

/**
 * Folders that import each library. A library that reaches the outside has one folder, so that replacing it changes one
 * folder.
 */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  zod: [DOMAIN, PLUMBING, CONTRACT, '^src/', COMMANDS, PROJECTIONS, QUERIES, '^infra/'],
  uuid: [DOMAIN],
  canonicalize: [DOMAIN],
  entities: [DOMAIN],
  htmlparser2: [DOMAIN, '^infra/documents/', '^src/sources/civicweb/', '^src/sources/pages/'],
  fflate: ['^infra/documents/'],
  unpdf: ['^infra/documents/'],
  undici: ['^infra/web/'],
  'robots-parser': ['^infra/web/'],
  luxon: ['^src/sources/', '^src/app/setting-values[.]ts$'],
  '@commander-js/extra-typings': ['^src/cli/'],
  commander: ['^src/cli/', '^src/main[.]ts$'],
  fastify: ['^src/edge/(http|ops)/'],
  '@fastify/cors': ['^src/edge/http/'],
  hono: ['^src/edge/pages/'],
  marked: ['^src/edge/pages/'],
  'ical-generator': ['^src/edge/pages/'],
  'topojson-client': ['^tools/'],
  'us-atlas': ['^tools/'],
  yaml: ['^tools/'],
  '@streamparser/json': ['^infra/system/'],
  'lru-cache': ['^src/edge/(admission|answers|http)/', '^queries/feed/'],
  negotiator: ['^src/edge/answers/'],
  '@fastify/proxy-addr': ['^src/edge/admission/'],
  '@modelcontextprotocol/server': ['^src/edge/mcp/'],
  'prom-client': ['^src/edge/(metrics|ops)/', '^src/app/serving/', '^tools/'],
  pino: ['^infra/system/'],
  '@opentelemetry/api': ['^infra/telemetry/'],
  '@opentelemetry/sdk-node': ['^infra/telemetry/'],
  'pino-pretty': ['^infra/system/'],
  pg: ['^infra/postgresql/', CLIENT],
  'node-pg-migrate': ['^infra/postgresql/'],
  '@eventstore/db-client': ['^infra/kurrentdb/'],
  'google-protobuf': ['^infra/kurrentdb/'],
  kafkajs: ['^infra/kafka/'],
  slonik: ['^infra/postgresql/', QUERIES, PROJECTIONS],
  roarr: ['^src/main[.]ts$'],
  '@x402/core': ['^infra/x402/'],
  '@x402/evm': ['^infra/x402/'],
  viem: ['^infra/x402/'],
  'dependency-cruiser': ['^tools/'],
  'openapi-typescript': ['^tools/'],
  rolldown: ['^tools/'],
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
          to: {
            dependencyTypes: ['core' as const],
            ...(node.length === 0 ? {} : { pathNot: `^(node:)?(${node.join('|')})$` }),
          },
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
  { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'every import resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ...PARTS.flatMap(ofPart),
  {
    name: 'queries import only types from the contract',
    severity: 'error',
    from: { path: QUERIES },
    to: { path: CONTRACT, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'a folder of infra imports no other one except infra/system',
    severity: 'error',
    from: { path: '^infra/([^/]+)/' },
    to: { path: '^infra/', pathNot: '^infra/($1|system)/' },
  },
  {
    name: 'only the entry and the composition import infra',
    severity: 'error',
    from: { path: CHECKED, pathNot: ['^infra/', ENTRY] },
    to: { path: '^infra/' },
  },
  { name: 'nothing imports the entry', severity: 'error', from: { pathNot: EXEMPT }, to: { path: '^src/main[.]ts$' } },
  {
    name: 'only the entry imports the composition, and src/app/civic.ts its type',
    severity: 'error',
    from: { path: CHECKED, pathNot: [ENTRY, '^src/app/civic[.]ts$'] },
    to: { path: '^src/app/composition([.]ts|/)' },
  },
  { name: 'the program imports no tests', severity: 'error', from: { path: CHECKED }, to: { path: '^(test|bench)/' } },
  ...Object.entries(LIBRARIES).map(ofLibrary),
  {
    name: 'a library is listed in the import rules',
    severity: 'error',
    from: { path: CHECKED },
    to: { path: 'node_modules/', pathNot: Object.keys(LIBRARIES).map(library) },
  },
];
