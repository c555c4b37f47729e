import type { PoolUse } from '../domain/ports/database.ts';
import type { EventLog, Position } from '../domain/ports/event-log.ts';
import type { KafkaCounters } from './edge/metrics/process-metrics.ts';
import type { Projection } from '../domain/ports/projection.ts';
import type { CustomerAnswers, PublicAnswers } from './edge/answers/exchange.ts';
import type { ToolRunnerParts } from './edge/mcp/run-tool.ts';
import type { accounts } from './modules/accounts.ts';
import type { agenda } from './modules/agenda.ts';
import type { erasure } from './modules/erasure.ts';
import type { feed } from './modules/feed.ts';
import type { Job } from './modules/module.ts';
import type { operators } from './modules/operators.ts';
import type { payments } from './modules/payments.ts';
import type { reports } from './modules/reports.ts';
import type { search } from './modules/search.ts';
import type { sources } from './modules/sources.ts';
import type { Platform, WorkingStores } from './platform.ts';
import type { ProjectorDependencies } from './processors/projector/fold-batch.ts';
import type { Projector } from './processors/projector/projector.ts';

/** What the modules give to commands and to the service, beside operations, tools, reactors and jobs. */
type OfModules = Pick<ReturnType<typeof accounts>, 'rules' | 'admission'> &
  Pick<ReturnType<typeof sources>, 'writer' | 'syncSource'> &
  Pick<ReturnType<typeof feed>, 'prune'> &
  Pick<ReturnType<typeof agenda>, 'publicLimits' | 'publicPosition'> &
  Pick<ReturnType<typeof search>, 'agendaFunctions'> &
  Pick<ReturnType<typeof reports>, 'reportFunctions' | 'reporting' | 'reportClients'> &
  Pick<ReturnType<typeof payments>, 'payments' | 'reconciling'> &
  Pick<ReturnType<typeof erasure>, 'erasing'> &
  Pick<ReturnType<typeof operators>, 'listing' | 'listingReactors'>;

/** The program as commands and the service see it: the platform, and what `src/composition.ts` has assembled on it. */
export interface Civic
  extends Platform,
    OfModules,
    Pick<WorkingStores, 'generations' | 'workingRows' | 'logMoves' | 'processorStore' | 'paymentLedger'> {
  readonly operations: CustomerAnswers;
  readonly publicOperations: PublicAnswers;
  /** Tools for agents, and their admission. */
  readonly tools: Omit<ToolRunnerParts, 'clock' | 'logger' | 'metrics'>;
  readonly projections: readonly Projection[];
  readonly jobs: readonly Job[];
  /** Null without KAFKA_BROKERS. */
  readonly kafkaCounters: KafkaCounters | null;
  readonly projectorDependencies: ProjectorDependencies;
  readonly pools: () => readonly PoolUse[];
  /** A log at an address, or in the database of the read models for `postgresql`; its caller closes it. Throws `BadSetting` for another text. */
  openOtherLog(address: string): Promise<EventLog & { close(): Promise<void> }>;
  /** Starts a projector in this process; it folds the generations whose leases it acquires. */
  startProjector(): Projector;
  /** Runs the reactors of these names, or all. */
  startReactors(only?: readonly string[]): void;
  /** Publishes the feed to Kafka and takes record changes from it; does nothing without KAFKA_BROKERS. */
  startKafkaBridge(): void;
  /** Whether every read model has passed the position now. */
  passed(position: Position): Promise<boolean>;
  /** Resolves true once every read model has passed the position, false after 30 s. */
  caughtUp(position: Position): Promise<boolean>;
}

export type Role = 'service' | 'command';
