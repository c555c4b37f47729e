import {
  measuredLog,
  measuredProjections,
  tracedLog,
  tracedProjection,
  tracedReactor,
  tracedReads,
  tracedStatements,
  tracedTransactor,
} from '../../infra/telemetry/observed-ports.ts';
import type { Database } from '../../infra/postgresql/open-database.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import type { Tracing } from '../../domain/ports/tracing.ts';
import type { ProcessFigures } from '../../domain/process-figures.ts';
import { SOFTWARE_VERSION } from '../../domain/software-version.ts';
import type { Settings } from '../settings.ts';
import type { OpenLog } from './open-stores.ts';

export type OpenTraces = Tracing & { close(): Promise<void> };

type Asking = Pick<
  Settings,
  'OTEL_SDK_DISABLED' | 'OTEL_TRACES_EXPORTER' | 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
>;

/** Whether the standard variables of OpenTelemetry turn traces on: an exporter or an endpoint is set and neither is turned off. */
export function tracesAsked(settings: Asking): boolean {
  if (settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings;
  return exporter !== undefined || all !== undefined || own !== undefined;
}

/** Null where traces are off. Loads the SDK, which is large, only where they are on. */
export const openTraces = async (settings: Settings, logger: Logger): Promise<OpenTraces | null> =>
  tracesAsked(settings) ? (await import('../../infra/telemetry/open-tracing.ts')).openTracing({ logger, version: SOFTWARE_VERSION }) : null;

export const traceDatabase = (database: Database, tracing: Tracing | null): Database =>
  tracing === null
    ? database
    : {
        ...database,
        read: tracedReads(database.read, tracing),
        transactor: tracedTransactor(database.transactor, tracing),
        counting: tracedStatements((statement) => database.counting(statement), tracing),
        search: tracedStatements(database.search, tracing),
      };

/** Counts appends with and without traces. */
export const traceLog = (log: OpenLog, tracing: Tracing | null, figures: ProcessFigures): OpenLog =>
  measuredLog(tracing === null ? log : tracedLog(log, tracing), figures);

/** Counts folds with and without traces. */
export const traceProjections = (
  projections: readonly Projection[],
  tracing: Tracing | null,
  figures: ProcessFigures,
): readonly Projection[] =>
  measuredProjections(tracing === null ? projections : projections.map((projection) => tracedProjection(projection, tracing)), figures);

export const traceReactor = (reactor: Reactor, tracing: Tracing | null): Reactor =>
  tracing === null ? reactor : tracedReactor(reactor, tracing);
