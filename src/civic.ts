import type { EraseContent, ErasedContent } from '../commands/erasure/erase-content.ts';
import type { RecordWriter } from '../commands/records/record-writer.ts';
import type { Projector } from '../projections/projector/projector.ts';
import type { ProjectorDependencies } from '../projections/projector/dependencies.ts';
import type { ListProjectionsDependencies } from '../queries/list-projections.ts';
import type { ListReactorsDependencies } from '../queries/list-reactors.ts';
import type { Admission } from './admission/admit.ts';
import type { Payments } from './admission/payments/pay-for-read.ts';
import type { PublicLimits } from './admission/public-limits.ts';
import type { ReportClients } from './admission/report-clients.ts';
import type { ToolRunnerParts } from './mcp/run-tool.ts';
import type { OperationFunctions, PublicFunctions } from './contract/handlers.ts';
import type { AgendaFunctions } from './contract/tools/agenda-functions.ts';
import type { Identifiers } from './domain/identifiers.ts';
import type { RandomBytes } from './domain/key-secret.ts';
import type { AdmissionRules } from './domain/ports/admission-counts.ts';
import type { CarriedFigures } from './domain/ports/carried.ts';
import type { Clock } from './domain/ports/clock.ts';
import type { DeciderCheckpoints } from './domain/ports/decider-checkpoints.ts';
import type { EventLog, Position } from './domain/ports/event-log.ts';
import type { SetBacks } from './domain/ports/history.ts';
import type { GenerationStore } from './domain/ports/generations.ts';
import type { Logger } from './domain/ports/logger.ts';
import type { Tracing } from './domain/ports/tracing.ts';
import type { PoolUse } from './domain/ports/database.ts';
import type { ProcessFigures } from './domain/process-figures.ts';
import type { LogMoves } from './domain/ports/log-moves.ts';
import type { PaymentLedger } from './domain/ports/payment-ledger.ts';
import type { LiveReads, Projection } from './domain/ports/projection.ts';
import type { RegularTurns } from './domain/ports/regular-turns.ts';
import type { ReactorStore } from './domain/ports/reactors.ts';
import type { WorkingRows } from './domain/ports/working-rows.ts';
import type { ReconcileParts } from './reactors/payments/reconcile-parts.ts';
import type { ReportParts } from './reactors/reports/report-reactors.ts';
import type { Settings } from './settings.ts';
import type { LegistarSync, SyncReport } from './sources/legistar/sync.ts';

/** The program as its commands see it: everything that `src/composition.ts` has put together. */
export interface Civic {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Null where no traces are asked for. */
  readonly tracing: Tracing | null;
  /** What this process has done so far. */
  readonly figures: ProcessFigures;
  readonly pools: () => readonly PoolUse[];
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: RandomBytes;
  readonly log: EventLog;
  readonly history: HistoryWatch;
  /** For commands on streams that can grow without end. */
  readonly checkpoints: DeciderCheckpoints;
  readonly reads: LiveReads;
  readonly writer: RecordWriter;
  readonly generations: GenerationStore;
  /** What a backup holds beside the log. */
  readonly workingRows: WorkingRows;
  readonly logMoves: LogMoves;
  readonly erasing: Erasing;
  /** A log at an address, or in the database of the read models for `postgresql`; its caller closes it. Throws for what is no address. */
  openOtherLog(address: string): Promise<EventLog & { close(): Promise<void> }>;
  readonly projections: readonly Projection[];
  readonly projectorDependencies: ProjectorDependencies;
  readonly listing: ListProjectionsDependencies;
  readonly reactorStore: ReactorStore;
  readonly listingReactors: ListReactorsDependencies;
  readonly reporting: ReportParts;
  /** Who of several processes does regular work. */
  readonly regularTurns: RegularTurns;
  readonly operations: OperationFunctions;
  readonly publicOperations: PublicFunctions;
  /** Behind the tools search_agenda and get_agenda_item. */
  readonly agendaFunctions: AgendaFunctions;
  readonly publicLimits: PublicLimits;
  readonly reportClients: ReportClients;
  /** Another text whenever what the public operations are answered from has changed. */
  readonly publicPosition: () => Promise<string>;
  readonly admission: Admission;
  readonly rules: AdmissionRules;
  /** Sells reads call by call, where an account is to pay that way. */
  readonly payments: Payments;
  readonly paymentLedger: PaymentLedger;
  /** What `reconcilePayments` and an operator's word about a payment need. */
  readonly reconciling: ReconcileParts;
  /** The tools for agents, and what they are admitted by. */
  readonly tools: Omit<ToolRunnerParts, 'clock' | 'logger' | 'metrics'>;
  /** Folds in this process too, for as long as the program is open; whoever holds the leases does the work. */
  startProjector(): Projector;
  /** Runs what follows from events by itself, or the named parts of it, for as long as the program is open. */
  startReactors(only?: readonly string[]): void;
  /** Carries the feed out to Kafka and record changes in, for as long as the program is open; nothing without KAFKA_BROKERS. */
  startCarriers(): void;
  /** What this process has carried so; null without KAFKA_BROKERS. */
  readonly carried: CarriedFigures | null;
  /** Whether every read model has passed the position now. */
  passed(position: Position): Promise<boolean>;
  /** Resolves true once every read model has passed the position, false at the deadline. */
  settled(position: Position): Promise<boolean>;
  /** Pulls a client of Legistar: over its Web API, another address of it, or recorded responses in a folder. */
  syncLegistar(sync: LegistarRequest): Promise<SyncReport>;
  /** Removes what neither replay nor a live snapshot needs; resolves to the number of rows. */
  prune(): Promise<number>;
  /** Ends everything that was opened, projectors first. */
  close(): Promise<void>;
}

export interface HistoryWatch {
  readonly setBacks: SetBacks;
  /** Why the read models are not what the log says: they catch up with a log that has lost history, or are refused. Null otherwise. */
  doubt(): string | null;
  /** Why the read models may not be served: they have seen what the log does not have, which no folding mends. Null otherwise. */
  refusal(): string | null;
  /** Looks until the signal aborts; `passed` tells whether every read model has. */
  watch(passed: (position: Position) => Promise<boolean>, signal: AbortSignal): Promise<void>;
}

export interface Erasing {
  erase(command: EraseContent): Promise<ErasedContent>;
  /** Has copies in no read model go, once every read model has passed the erasure; resolves to how many are kept for paid calls under way. */
  clearTraces(streams: readonly string[]): Promise<number>;
  /** Has the database free the space of what was rewritten. */
  reclaim(): Promise<void>;
}

export interface LegistarRequest extends Pick<LegistarSync, 'client' | 'since' | 'jurisdictionSlug' | 'progress' | 'signal'> {
  /** Ends in `/v1`. */
  readonly baseUrl?: string | undefined;
  readonly from?: string | undefined;
}

export type Role = 'service' | 'command';
