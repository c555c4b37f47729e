import { TOOL_DEADLINE_MS } from '../contract/tools/tool.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Position } from '../domain/ports/event-log.ts';
import type { PaymentChannel } from '../domain/ports/payments.ts';
import type { Progress } from '../domain/ports/projection.ts';
import { shiftedClock, stopwatch, systemClock } from '../infra/system/clock.ts';
import { openOtherLog, type Role } from './composition/open-stores.ts';
import { machineProbe } from '../infra/system/machine.ts';
import { CONNECTORS } from './composition/connectors.ts';
import { kafkaAddress } from './composition/probes.ts';
import { startProcessors } from './composition/start-processors.ts';
import { accounts } from './modules/accounts.ts';
import { agenda } from './modules/agenda.ts';
import { classification } from './modules/classification.ts';
import { coverage } from './modules/coverage.ts';
import { erasure } from './modules/erasure.ts';
import { feed } from './modules/feed.ts';
import { kafka } from './modules/kafka.ts';
import { operators } from './modules/operators.ts';
import { pages } from './modules/pages.ts';
import { payments } from './modules/payments.ts';
import { reports } from './modules/reports.ts';
import { search } from './modules/search.ts';
import { sources } from './modules/sources.ts';
import { subscriptions } from './modules/subscriptions.ts';
import { openPlatform, type Times } from './platform.ts';
import { PROJECTIONS } from './read-models.ts';
import { BadSetting, type Settings } from './settings.ts';

export { openStoresAlone } from './composition/open-stores.ts';
export { probesOf } from './composition/probes.ts';
export { PROJECTIONS } from './read-models.ts';

const VISIBLE_TIMEOUT_MS = 30_000;

/** Null until a recipient and a facilitator are set. Loads the adapters, which are large, only then. */
async function openPayAsYouGo(settings: Settings): Promise<PaymentChannel | null> {
  const { CIVIC_X402_PAY_TO: payTo, CIVIC_X402_FACILITATOR_URL: facilitatorUrl, CIVIC_X402_RPC_URL: rpcUrl } = settings;
  if (payTo === undefined || facilitatorUrl === undefined) return null;
  const { openX402 } = await import('../infra/x402/open.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BadSetting('CIVIC_X402_PAY_TO is set, and the libraries of payments are not installed: run `npm ci --omit=dev`');
  });
  return openX402(payTo, facilitatorUrl, rpcUrl);
}

/** Looks at one after another: while the first lags, the others are not asked for. */
export async function reachedByAll(
  progress: Progress,
  readModels: readonly string[],
  { position, deadline }: { readonly position: Position; readonly deadline: number },
): Promise<boolean> {
  for (const name of readModels) if (!(await progress.reached(name, position, deadline))) return false;
  return true;
}

/** The caller closes the program, also when the start of something else fails. */
export const openCivic = (settings: Settings, role: Role, warnings: readonly string[]) =>
  openCivicAt(systemClock, settings, role, warnings);

/** For a sandbox: a service whose time is ahead of the machine's by what `ahead` says then, in milliseconds. */
export const openCivicAhead = (settings: Settings, ahead: () => number) =>
  openWithTimes({ time: shiftedClock(systemClock, ahead), chainClock: systemClock }, settings, 'service', []);

/** The same with another time than the machine's. Leases are measured by the database's clock. */
export const openCivicAt = (time: Clock, settings: Settings, role: Role, warnings: readonly string[]) =>
  openWithTimes({ time, chainClock: time }, settings, role, warnings);

async function openWithTimes(times: Times, settings: Settings, role: Role, warnings: readonly string[]) {
  const platform = await openPlatform(times, settings, role, warnings);
  try {
    const { clock, progress } = platform;
    const brokers = kafkaAddress(settings);
    const ofAccounts = accounts(platform);
    const ofSources = sources(platform, CONNECTORS);
    const ofFeed = feed(platform);
    const ofSubscriptions = subscriptions(platform, ofFeed.readChanges);
    const ofAgenda = agenda(platform);
    const ofSearch = search(platform);
    const ofCoverage = coverage(platform);
    const ofReports = reports(platform, ofSources.published);
    const ofPayments = payments(platform, await openPayAsYouGo(settings), ofAccounts.rules.billingEnforced);
    const readModels = PROJECTIONS.map(({ name }) => name);
    const ofErasure = erasure(platform, readModels);
    const reactors = [...ofReports.reactors, ...ofErasure.reactors, ...classification(platform, ofSources).reactors];
    const openBrokers = brokers && (async () => (await import('../infra/kafka/open.ts')).openKafka(brokers, platform));
    const bridge = kafka(platform, openBrokers, ofSources.writer);
    const ofOperators = operators(platform, PROJECTIONS, [...reactors, ...(bridge === null ? [] : [bridge.relay])]);
    const reachedBy = (position: Position, deadline: number) => reachedByAll(progress, readModels, { position, deadline });
    return {
      ...platform,
      ...platform.stores,
      ...ofAccounts,
      ...ofSources,
      ...ofFeed,
      ...ofAgenda,
      ...ofReports,
      ...ofPayments,
      ...ofErasure,
      ...ofOperators,
      ...pages(platform, ofSearch),
      ...startProcessors(platform, PROJECTIONS, reactors, bridge),
      operations: { ...ofFeed.operations, ...ofSubscriptions.operations, ...ofReports.operations, ...ofOperators.operations },
      publicOperations: { ...ofAgenda.publicOperations, ...ofCoverage.publicOperations },
      tools: {
        functions: { ...ofCoverage.tools, ...ofSearch.tools, ...ofReports.tools },
        payments: ofPayments.payments,
        billingEnforced: ofAccounts.rules.billingEnforced,
        deadlineMs: TOOL_DEADLINE_MS,
        tracing: platform.tracing,
      },
      jobs: [...ofAccounts.jobs, ...ofAgenda.jobs, ...ofPayments.jobs, ...ofReports.jobs, ...ofFeed.jobs, ...ofSources.jobs],
      projections: PROJECTIONS,
      stopwatch,
      /** Null without KAFKA_BROKERS. */
      kafkaCounters: bridge?.counters ?? null,
      pools: platform.database.use,
      writesRefused: platform.database.writesRefused,
      /** Of the disk with the embedded database; null where another server keeps the data. */
      freeDiskBytes: async (): Promise<number | null> =>
        settings.DATABASE_URL === undefined ? (await machineProbe.folder(settings.CIVIC_DATA_DIR)).freeBytes : null,
      /** A log at an address, or for `postgresql` beside the read models. The caller closes it. Throws `BadSetting` for another text. */
      openOtherLog: (address: string) => openOtherLog(address, platform.databaseUrl),
      /** Whether every read model has passed the position now. */
      passed: (position: Position) => reachedBy(position, clock.now()),
      /** Resolves true once every read model has passed the position, false after 30 s. */
      caughtUp: (position: Position) => reachedBy(position, clock.now() + VISIBLE_TIMEOUT_MS),
    };
  } catch (error) {
    await platform.close();
    throw error;
  }
}
