import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { createRecordWriter } from '../commands/records/write-records.ts';
import { createTakeSnapshot } from '../commands/snapshots/take-snapshot.ts';
import { createCreateSubscription } from '../commands/subscriptions/create-subscription.ts';
import { createRevokeSubscription } from '../commands/subscriptions/revoke-subscription.ts';
import { createTurns } from '../commands/turns.ts';
import { steadyMilliseconds, systemClock } from '../infra/system/clock.ts';
import { createLogger } from '../infra/system/logging.ts';
import { legistarFolderReader } from '../infra/legistar/folder-client.ts';
import { LEGISTAR_BASE_URL, legistarHttpReader } from '../infra/legistar/http-client.ts';
import { openDatabaseClock } from '../infra/postgresql/database-clock.ts';
import { createDeciderCheckpoints } from '../infra/postgresql/decider-checkpoints.ts';
import { createChargeFurther } from '../infra/postgresql/further-charges.ts';
import { createGenerationStore } from '../infra/postgresql/generations.ts';
import { createLiveReads } from '../infra/postgresql/live-reads.ts';
import { migrate } from '../infra/postgresql/migrate.ts';
import { openDatabase } from '../infra/postgresql/open-database.ts';
import { createPaymentLedger } from '../infra/postgresql/payment-ledger.ts';
import { createLogMoves } from '../infra/postgresql/log-moves.ts';
import { createProgress } from '../infra/postgresql/progress.ts';
import { createReportClaims } from '../infra/postgresql/report-claims.ts';
import { createReportClientCounts } from '../infra/postgresql/report-clients.ts';
import { createReportLeases } from '../infra/postgresql/report-leases.ts';
import { createReportQueue } from '../infra/postgresql/report-queue.ts';
import { createReactorStore } from '../infra/postgresql/reactor-store.ts';
import { createRegularTurns } from '../infra/postgresql/regular-turns.ts';
import { createSharedCounts } from '../infra/postgresql/shared-counts.ts';
import { createTraffic } from '../infra/postgresql/traffic.ts';
import { createWorkingRows } from '../infra/postgresql/working-rows.ts';
import { createWindowCounts } from '../infra/postgresql/window-counts.ts';
import { startProjector, type Projector } from '../projections/projector/projector.ts';
import { recordHistory } from '../projections/record-history/projection.ts';
import { recordKeys } from '../projections/record-keys/projection.ts';
import { recordReferences } from '../projections/record-references/projection.ts';
import { reports } from '../projections/reports/projection.ts';
import { snapshots } from '../projections/snapshots/projection.ts';
import { subscriptions } from '../projections/subscriptions/projection.ts';
import { readAgendaPosition } from '../queries/agenda-position.ts';
import { readFeedHead } from '../queries/feed-head.ts';
import { currentIds } from '../queries/current-ids.ts';
import { findRevocation } from '../queries/find-feed-subscription.ts';
import { createGetAgendaItem } from '../queries/get-agenda-item.ts';
import { createSearchAgenda } from '../queries/search-agenda.ts';
import { readHighWaterMark } from '../queries/high-water-mark.ts';
import { knownRecords } from '../queries/known-records.ts';
import { createListFeedSubscriptions } from '../queries/list-feed-subscriptions.ts';
import { createReadCivicChanges } from '../queries/read-civic-changes.ts';
import { createReadCivicHealth } from '../queries/read-civic-health.ts';
import { createReadCivicRecords } from '../queries/read-civic-records.ts';
import { createReadCivicSnapshotPage } from '../queries/read-civic-snapshot-page.ts';
import { readModelAnswers } from '../queries/read-model-answers.ts';
import { createChargeRequest } from '../queries/charge-request.ts';
import { createReadFeedSubscriptionChanges } from '../queries/read-feed-subscription-changes.ts';
import { createAdmission } from './admission/admit.ts';
import { tracedAdmission } from './admission/traced-admission.ts';
import { createPayments } from './admission/payments/pay-for-read.ts';
import { PAYMENT_TIMES } from './admission/payments/payment-parts.ts';
import { priceOf } from './admission/payments/price.ts';
import { createPublicLimits } from './admission/public-limits.ts';
import { createReportClients } from './admission/report-clients.ts';
import { createReportFunctions } from './admission/report-functions.ts';
import { createSampledFailures } from './admission/sampled-failures.ts';
import { createSearchLimit } from './admission/search-limit.ts';
import type { Civic, HistoryWatch, Role } from './civic.ts';
import { createErasing } from './composition/erasing.ts';
import { openHistory } from './composition/open-history.ts';
import { openOwnFeed } from './composition/open-own-feed.ts';
import { createCarriers } from './composition/carriers.ts';
import { createUntilClosed } from './composition/until-closed.ts';
import { openClock } from './composition/open-clock.ts';
import { openLog, type OpenLog, openOtherLog, reachDatabase } from './composition/open-stores.ts';
import { pruneLive } from './composition/prune-live.ts';
import { openPayAsYouGo } from './composition/open-pay-as-you-go.ts';
import { openTraces, traceDatabase, traceLog, traceProjections } from './composition/open-traces.ts';
import { randomIdentifiers } from './domain/identifiers.ts';
import { ProcessFigures } from './domain/process-figures.ts';
import type { AdmissionRules } from './domain/ports/admission-counts.ts';
import type { Clock } from './domain/ports/clock.ts';
import type { Position } from './domain/ports/event-log.ts';
import type { Logger } from './domain/ports/logger.ts';
import type { Tracing } from './domain/ports/tracing.ts';
import { TOOL_DEADLINE_MS } from './contract/tools/tool.ts';
import { answeredWithin } from './domain/within-deadline.ts';
import { PROJECTIONS } from './read-models.ts';
import { createPublicFunctions } from './serving/public-functions.ts';
import { createToolFunctions } from './serving/tool-functions.ts';
import type { Settings } from './settings.ts';
import { createClassificationReactor } from './reactors/classification/classification-reactor.ts';
import { phraseClassifier } from './reactors/classifier/phrase-classifier.ts';
import { createReportParts } from './reactors/reports/report-reactors.ts';
import { syncLegistar } from './sources/legistar/sync.ts';

export { openStoresAlone } from './composition/open-stores-alone.ts';
export { probesOf } from './composition/open-stores.ts';
export { PROJECTIONS } from './read-models.ts';

const LEASE_MS = 5000;
const FOLD_BATCH = 2000;
const VISIBLE_TIMEOUT_MS = 30_000;

/** A command says little beside its answer unless it is asked to. */
const logLevel = (settings: Settings, role: Role): string => settings.CIVIC_LOG_LEVEL ?? (role === 'command' ? 'warn' : 'info');

/** Puts the program together from its settings. The caller closes what it gets, also when the start of something else fails. */
export const openCivic = (settings: Settings, role: Role, warnings: readonly string[]): Promise<Civic> =>
  openCivicAt(systemClock, settings, role, warnings);

/** The same by another clock than the machine's, for whoever moves time; leases are still kept by the database's. */
export const openCivicAt = async (time: Clock, settings: Settings, role: Role, warnings: readonly string[]): Promise<Civic> => {
  const logger = createLogger(logLevel(settings, role), settings.CIVIC_LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json'));
  for (const warning of warnings) logger.warn({}, warning);
  const attached = await reachDatabase(settings, role, logger);
  const closers: (() => Promise<unknown>)[] = [() => attached.leave()];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const tracing = await openTraces(settings, logger);
    if (tracing !== null) closers.push(() => tracing.close());
    await migrate(attached.url);
    const statementTimeoutMs = settings.CIVIC_STATEMENT_TIMEOUT;
    // Twice what one account may use: no account can take all of them.
    const searchConnections = 2 * settings.CIVIC_SEARCH_CONCURRENCY;
    const database = await openDatabase({ dsn: attached.url, statementTimeoutMs, searchConnections });
    closers.push(() => database.close());
    const stored = await openLog(settings.EVENTSTORE_URL ?? attached.url);
    closers.push(() => stored.close());
    const figures = new ProcessFigures();
    const parts = { log: stored, settings, transactor: database.transactor, clock: systemClock, logger, figures };
    const { log, history } = openHistory(parts);
    const traced = { database: traceDatabase(database, tracing), log: traceLog(log, tracing, figures), history, tracing, figures };
    return await assemble(settings, role, logger, { time, url: attached.url, ...traced, closers, close });
  } catch (error) {
    await close();
    throw error;
  }
};

interface Opened {
  readonly time: Clock;
  /** Of the read models' database. */
  readonly url: string;
  readonly database: Awaited<ReturnType<typeof openDatabase>>;
  readonly log: OpenLog;
  readonly history: HistoryWatch;
  readonly tracing: Tracing | null;
  readonly figures: ProcessFigures;
  readonly closers: (() => Promise<unknown>)[];
  readonly close: () => Promise<void>;
}

const assemble = async (settings: Settings, role: Role, logger: Logger, opened: Opened): Promise<Civic> => {
  const { time, database, log, tracing, figures, closers, close } = opened;
  const clock = await openClock(database.transactor, settings, time, logger);
  const identifiers = randomIdentifiers;
  const generations = createGenerationStore(database.transactor);
  await openOwnFeed({ generations, transactor: database.transactor, log, settings, clock, identifiers, logger });
  const reads = createLiveReads(database.read, () => opened.history.refusal());
  const progress = createProgress(database.read, clock);
  const leaseClock = await openDatabaseClock(database.read, steadyMilliseconds, systemClock);
  closers.push(() => leaseClock.close());
  const checkpoints = createDeciderCheckpoints(database.read, database.transactor, logger);
  const writer = createRecordWriter({ log, clock, identifiers, deadlineMs: VISIBLE_TIMEOUT_MS });
  const projectorDependencies = {
    log,
    transactor: database.transactor,
    columns: database.columns,
    generations,
    leaseClock,
    logger,
    owner: `${hostname()}:${process.pid}:${role}:${identifiers.next().slice(-6)}`,
    leaseMs: LEASE_MS,
    traffic: createTraffic(database.read),
    batchSize: FOLD_BATCH,
    keptMs: settings.CIVIC_REBUILD_KEPT,
  };
  const handles = new Map(PROJECTIONS.map((projection) => [projection.name, projection.handles]));
  const listing = { generations, log, clock, leaseClock, handles };
  const known = knownRecords(reads, log);
  const leases = createReportLeases(database.transactor);
  const dailyBudget = settings.CIVIC_REPORT_DAILY_BUDGET;
  const ofReports = { log, checkpoints, clock, identifiers, reads, leases, dailyBudget };
  const readModels = [reports.name, recordKeys.name, recordHistory.name, recordReferences.name];
  const holder = `worker ${projectorDependencies.owner}`;
  const reporting = createReportParts({ ...ofReports, known, progress, readModels, logger, holder });
  const { erasing, reactor: erasureReactor } = createErasing({
    log,
    clock,
    chainClock: time,
    identifiers,
    progress,
    transactor: database.transactor,
    url: opened.url,
  });
  const reactors = [
    ...reporting.reactors,
    erasureReactor,
    createClassificationReactor({
      log,
      clock,
      writer,
      known,
      classifier: phraseClassifier(),
      progress,
      readModels: [recordHistory.name, recordReferences.name],
      currentIds: (resource) => currentIds(reads, resource),
    }),
  ];
  const reactorStore = createReactorStore(database.transactor);
  const ofCarriers = { settings, log, transactor: database.transactor, reads, progress, writer };
  const carriers = createCarriers({ ...ofCarriers, clock, machineClock: systemClock, identifiers, logger });
  const follows = new Map([...reactors, ...(carriers === null ? [] : [carriers.relay])].map(({ name, follows: types }) => [name, types]));
  const listingReactors = { reactorStore, log, clock, leaseClock, follows };
  const rules: AdmissionRules = {
    plans: settings.CIVIC_PLANS,
    ceilings: { perimeter: settings.CIVIC_ABUSE_LIMIT, handler: settings.CIVIC_ABUSE_LIMIT },
    billingEnforced: settings.CIVIC_BILLING_ENFORCEMENT === 'on',
  };
  const readChanges = createReadCivicChanges({ reads, clock, retentionMs: settings.CIVIC_REPLAY_RETENTION });
  const deadlineMs = settings.CIVIC_STATEMENT_TIMEOUT;
  /** An operation that asks the log, or several stores in turn: no deadline of one statement bounds the whole. */
  const inTime =
    <Input, Answer>(operation: (input: Input, over: AbortSignal) => Promise<Answer>) =>
    (input: Input): Promise<Answer> =>
      answeredWithin(clock, deadlineMs, (over) => operation(input, over));
  const subscribing = {
    log,
    checkpoints,
    clock,
    identifiers,
    inTurn: createTurns(),
    visible: (position: Position, deadline: number) => progress.reached(subscriptions.name, position, deadline),
    deadlineMs,
  };
  const paymentLedger = createPaymentLedger(database.transactor);
  const x402 = await openPayAsYouGo(settings);
  const settling = { ledger: paymentLedger, facilitator: x402?.facilitator ?? null, log, clock, chainClock: time, identifiers, logger };
  const payments = createPayments({
    ...settling,
    checkSignature: x402?.checkSignature ?? (async () => false),
    price: async () => priceOf(settings.CIVIC_X402_AMOUNT, settings.CIVIC_X402_PAY_TO ?? ''),
    enforced: rules.billingEnforced,
    budget: settings.CIVIC_X402_DAILY_BUDGET,
    times: PAYMENT_TIMES,
  });
  closers.push(() => payments.end());
  const windowCounts = createWindowCounts(database.counting);
  const reportFunctions = createReportFunctions({
    ...ofReports,
    windows: windowCounts,
    claims: createReportClaims(database.counting),
    queue: createReportQueue(database.transactor),
    queueLimit: settings.CIVIC_REPORT_QUEUE_LIMIT,
    deadlineMs,
    caughtUp: async (deadline) => progress.reached(reports.name, await log.head(), deadline),
  });
  const agendaFunctions = {
    searchAgenda: createSearchAgenda({
      reads: (signal) => reads.through((statement) => database.search(statement, signal)),
      clock,
    }),
    getAgendaItem: createGetAgendaItem({ reads, clock }),
  };
  const reachedBy = async (position: Position, deadline: number): Promise<boolean> =>
    (await Promise.all(PROJECTIONS.map(({ name }) => progress.reached(name, position, deadline)))).every(Boolean);
  let projector: Projector | undefined;
  const { owner, leaseMs } = projectorDependencies;
  const untilClosed = createUntilClosed({ log, store: reactorStore, leaseClock, logger, owner, leaseMs }, tracing, closers);
  return {
    payments,
    paymentLedger,
    reconciling: { ...settling, chain: x402?.chain ?? null },
    settings,
    logger,
    tracing,
    figures,
    pools: () => database.use(),
    clock,
    identifiers,
    randomBytes,
    log,
    history: opened.history,
    checkpoints,
    reads,
    writer,
    generations,
    workingRows: createWorkingRows(database.transactor),
    erasing,
    logMoves: createLogMoves(database.transactor, database.columns),
    openOtherLog: (address) => openOtherLog(address, opened.url),
    projections: PROJECTIONS,
    projectorDependencies,
    listing,
    reactorStore,
    listingReactors,
    reporting,
    regularTurns: createRegularTurns(database.transactor),
    operations: {
      readCivicChanges: readChanges,
      createCivicSnapshot: inTime(
        createTakeSnapshot({
          log,
          clock,
          identifiers,
          readGround: async () => (await Promise.all([readFeedHead(reads), readModelAnswers(reads, snapshots.name)]))[0],
          visible: (position, deadline) => progress.reached(snapshots.name, position, deadline),
          lifetimeMs: settings.CIVIC_SNAPSHOT_LIFETIME,
          deadlineMs,
        }),
      ),
      readCivicSnapshotPage: createReadCivicSnapshotPage({ reads, clock }),
      readCivicRecords: createReadCivicRecords(reads, database.columns),
      readCivicHealth: createReadCivicHealth({ ...listing, ...listingReactors, history: opened.history, reads, logger, deadlineMs }),
      createFeedSubscription: inTime(
        createCreateSubscription({
          ...subscribing,
          readMark: async () => (await Promise.all([readHighWaterMark(reads), readModelAnswers(reads, subscriptions.name)]))[0],
        }),
      ),
      listFeedSubscriptions: createListFeedSubscriptions({ reads, clock }),
      readFeedSubscriptionChanges: inTime(createReadFeedSubscriptionChanges({ reads, readChanges })),
      revokeFeedSubscription: inTime(
        createRevokeSubscription({ ...subscribing, revokedBefore: (revocation) => findRevocation(reads, revocation) }),
      ),
      submitDataReport: inTime(reportFunctions.submitDataReport),
      getDataReport: inTime(reportFunctions.getDataReport),
    },
    publicOperations: createPublicFunctions({ reads, clock }),
    agendaFunctions,
    publicLimits: createPublicLimits({
      limit: settings.CIVIC_PUBLIC_LIMIT,
      shared: createSharedCounts(database.transactor, database.columns, identifiers.next()),
      logger,
    }),
    tools: {
      functions: createToolFunctions({
        reads,
        clock,
        agenda: agendaFunctions,
        searchLimit: createSearchLimit({ concurrency: settings.CIVIC_SEARCH_CONCURRENCY, clock }),
        reports: reportFunctions,
      }),
      payments,
      billingEnforced: rules.billingEnforced,
      deadlineMs: TOOL_DEADLINE_MS,
      tracing,
    },
    publicPosition: () => readAgendaPosition(reads.database),
    reportClients: createReportClients({
      counts: createReportClientCounts(database.counting),
      limit: settings.CIVIC_REPORT_CLIENT_LIMIT,
      onFailure: createSampledFailures({ clock, logger }, 'the limit of a client of reports could not be looked up'),
    }),
    rules,
    admission: tracedAdmission(
      createAdmission({
        rules,
        chargeRequest: createChargeRequest(
          createLiveReads({ ...database.read, texts: (statement) => database.counting(statement) }),
          rules,
        ),
        chargeFurther: createChargeFurther(database.counting),
        windowCounts,
        onFailure: createSampledFailures({ clock, logger }, 'identity and limits could not be looked up'),
      }),
      tracing,
    ),
    syncLegistar({ baseUrl, from, ...request }) {
      const { client, signal } = request;
      const reader =
        from === undefined
          ? legistarHttpReader({ baseUrl: baseUrl ?? LEGISTAR_BASE_URL, client, clock, random: Math.random, signal })
          : legistarFolderReader({ directory: from, client });
      return syncLegistar({ ...request, reader, writer, known, clock });
    },
    startProjector() {
      if (projector === undefined) {
        const started = startProjector(projectorDependencies, traceProjections(PROJECTIONS, tracing, figures));
        closers.push(() => started.stop());
        projector = started;
      }
      return projector;
    },
    startReactors(only) {
      const wanted = reactors.filter(({ name }) => only === undefined || only.includes(name));
      untilClosed(wanted);
    },
    startCarriers() {
      if (carriers !== null) untilClosed([carriers.relay], carriers.runInlet);
    },
    carried: carriers?.figures ?? null,
    passed: (position) => reachedBy(position, clock.now()),
    settled: (position) => reachedBy(position, clock.now() + VISIBLE_TIMEOUT_MS),
    prune: async () =>
      figures.pruned(await pruneLive(generations, database.transactor, { now: clock.now(), retentionMs: settings.CIVIC_REPLAY_RETENTION })),
    close,
  };
};
