import { TOOL_DEADLINE_MS } from '../../contract/tools/tool.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { PaymentChannel } from '../../domain/ports/payments.ts';
import type { Progress } from '../../domain/ports/projection.ts';
import { createDocumentReader } from '../../infra/documents/document-reader.ts';
import { shiftedClock, stopwatch, systemClock } from '../../infra/system/clock.ts';
import { openOtherLog, type Role } from './composition/open-stores.ts';
import { machineProbe } from '../../infra/system/machine.ts';
import { createConnectors } from './composition/connectors.ts';
import { createOpenWeb } from './composition/web-readers.ts';
import { kafkaAddress } from './composition/probes.ts';
import { startProcessors } from './composition/start-processors.ts';
import { accounts } from './modules/accounts.ts';
import { agenda } from './modules/agenda.ts';
import { classification } from './modules/classification.ts';
import { coverage } from './modules/coverage.ts';
import { erasure } from './modules/erasure.ts';
import { feed } from './modules/feed.ts';
import { kafka } from './modules/kafka.ts';
import type { Job } from './modules/module.ts';
import { operators } from './modules/operators.ts';
import { pages } from './modules/pages.ts';
import { payments } from './modules/payments.ts';
import { reports } from './modules/reports.ts';
import { search } from './modules/search.ts';
import { sources } from './modules/sources.ts';
import { subscriptions } from './modules/subscriptions.ts';
import { openPlatform, type Platform, type Times } from './platform.ts';
import { PROJECTIONS } from './read-models.ts';
import { BadSetting, type Settings } from './settings.ts';

export { openStoresAlone } from './composition/open-stores.ts';
export { probesOf } from './composition/probes.ts';
export { PROJECTIONS } from './read-models.ts';

const VISIBLE_TIMEOUT_MS = 30_000;
const READ_MODELS = PROJECTIONS.map(({ name }) => name);

/** Returns null unless a recipient and a facilitator are set; only then loads the adapters, which are large. */
async function openPayAsYouGo(settings: Settings): Promise<PaymentChannel | null> {
  const { CIVIC_X402_PAY_TO: payTo, CIVIC_X402_FACILITATOR_URL: facilitatorUrl, CIVIC_X402_RPC_URL: rpcUrl } = settings;
  if (payTo === undefined || facilitatorUrl === undefined) return null;
  const { openX402 } = await import('../../infra/x402/open.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BadSetting(
      'CIVIC_X402_PAY_TO is set, but the payment libraries are not installed: run `npm ci --omit=dev`, or build the image with `--build-arg npm_config_include=peer`',
    );
  });
  return openX402(payTo, facilitatorUrl, rpcUrl);
}

/** Opens the reader of documents. The caller closes it. */
export const openDocuments = async () => createDocumentReader({ clock: systemClock });

/** Opens the connectors alone, for a command that reads a source without an installation. */
export const openConnectors = async (settings: Settings) => ({
  connectors: createConnectors(createOpenWeb({ settings, clock: systemClock })),
  clock: systemClock,
});

/** Checks the read models one by one and stops at the first that has not reached the position by the deadline. */
export async function reachedByAll(
  progress: Progress,
  readModels: readonly string[],
  { position, deadline }: { readonly position: Position; readonly deadline: number },
): Promise<boolean> {
  for (const name of readModels) if (!(await progress.waitFor(name, position, deadline))) return false;
  return true;
}

/** Opens the program. The caller closes it. */
export const openCivic = (settings: Settings, role: Role, warnings: readonly string[]) =>
  openCivicAt(systemClock, settings, role, warnings);

/** Opens a sandbox: a service whose clock runs `ahead()` milliseconds ahead of the machine's clock. */
export const openCivicAhead = (settings: Settings, ahead: () => number) =>
  openWithTimes({ time: shiftedClock(systemClock, ahead), chainClock: systemClock }, settings, 'service', []);

/** Opens the program with a clock other than the machine's. Leases still use the clock of the database. */
export const openCivicAt = (time: Clock, settings: Settings, role: Role, warnings: readonly string[]) =>
  openWithTimes({ time, chainClock: time }, settings, role, warnings);

async function openWithTimes(times: Times, settings: Settings, role: Role, warnings: readonly string[]) {
  const platform = await openPlatform(times, settings, role, warnings);
  try {
    return assemble(platform, await openModules(platform));
  } catch (error) {
    await platform.close();
    throw error;
  }
}

type Modules = Awaited<ReturnType<typeof openModules>>;

/** Opens the modules in the order of their dependencies. */
async function openModules(platform: Platform) {
  const { settings } = platform;
  const accountsModule = accounts(platform);
  const documentReader = createDocumentReader({ clock: platform.machineClock });
  platform.onClose(() => documentReader.close());
  const sourcesModule = sources(platform, createConnectors(createOpenWeb(platform)), documentReader);
  const feedModule = feed(platform);
  const reportsModule = reports(platform, sourcesModule.published);
  const erasureModule = erasure(platform, READ_MODELS);
  const reactors = [
    ...reportsModule.reactors,
    ...erasureModule.reactors,
    ...sourcesModule.reactors,
    ...classification(platform, sourcesModule).reactors,
  ];
  const bridge = kafka(platform, brokersOf(platform), sourcesModule.writer);
  return {
    accounts: accountsModule,
    sources: sourcesModule,
    feed: feedModule,
    subscriptions: subscriptions(platform, feedModule.readChanges),
    agenda: agenda(platform),
    search: search(platform),
    coverage: coverage(platform),
    reports: reportsModule,
    payments: payments(platform, await openPayAsYouGo(settings), accountsModule.rules.billingEnforced),
    erasure: erasureModule,
    operators: operators(platform, PROJECTIONS, [...reactors, ...(bridge === null ? [] : [bridge.relay])]),
    reactors,
    bridge,
  };
}

/** Null without KAFKA_BROKERS. The function loads the client of Kafka, which is large. */
function brokersOf(platform: Platform) {
  const address = kafkaAddress(platform.settings);
  return address && (async () => (await import('../../infra/kafka/open.ts')).openKafka(address, platform));
}

function assemble(platform: Platform, modules: Modules) {
  const { accounts, sources, feed, agenda, reports, payments, erasure, operators, bridge } = modules;
  return {
    ...platform,
    ...platform.stores,
    ...accounts,
    ...sources,
    ...feed,
    ...agenda,
    ...reports,
    ...payments,
    ...erasure,
    ...operators,
    ...pages(platform, modules.search),
    ...startProcessors(platform, PROJECTIONS, modules.reactors, bridge),
    ...combineOperations(modules),
    tools: combineTools(platform, modules),
    jobs: [accounts, agenda, payments, reports, feed, sources].flatMap(({ jobs }): readonly Job[] => jobs),
    projections: PROJECTIONS,
    stopwatch,
    /** Null without KAFKA_BROKERS. */
    kafkaCounters: bridge?.counters ?? null,
    ...describeDatabase(platform),
    ...waitsFor(platform),
  };
}

const combineOperations = ({ feed, subscriptions, reports, operators, agenda, coverage }: Modules) => ({
  operations: { ...feed.operations, ...subscriptions.operations, ...reports.operations, ...operators.operations },
  publicOperations: { ...agenda.publicOperations, ...coverage.publicOperations },
});

const combineTools = ({ tracing }: Platform, { accounts, coverage, search, reports, payments }: Modules) => ({
  functions: { ...coverage.tools, ...search.tools, ...reports.tools },
  payments: payments.payments,
  billingEnforced: accounts.rules.billingEnforced,
  deadlineMs: TOOL_DEADLINE_MS,
  tracing,
});

const describeDatabase = ({ settings, database, databaseUrl }: Platform) => ({
  pools: database.use,
  writesRefused: database.writesRefused,
  /** Free space on the disk of the embedded database; null if another server stores the data. */
  freeDiskBytes: async (): Promise<number | null> =>
    settings.DATABASE_URL === undefined ? (await machineProbe.folder(settings.CIVIC_DATA_DIR)).freeBytes : null,
  /** Opens the log at an address, or for `postgresql` the one in the database. The caller closes it. Throws `BadSetting` for other text. */
  openOtherLog: (address: string) => openOtherLog(address, databaseUrl),
});

function waitsFor({ clock, progress }: Platform) {
  const reachedBy = (position: Position, deadline: number) =>
    reachedByAll(progress, READ_MODELS, { position, deadline });
  return {
    /** Resolves to true if every read model has passed the position. */
    passed: (position: Position) => reachedBy(position, clock.now()),
    /** Resolves to true once every read model has passed the position, and to false after 30 s. */
    caughtUp: (position: Position) => reachedBy(position, clock.now() + VISIBLE_TIMEOUT_MS),
  };
}
