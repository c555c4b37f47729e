import type { Logger } from '../../domain/ports/logger.ts';
import { SOFTWARE_VERSION } from '../../domain/health.ts';
import type { Settings } from '../settings.ts';

/** Whether the standard variables of OpenTelemetry turn traces on: an exporter or an endpoint is set and neither is turned off. */
export function tracesAsked(settings: Pick<Settings, keyof Settings & `OTEL_${string}`>): boolean {
  if (settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings;
  return exporter !== undefined || all !== undefined || own !== undefined;
}

/** Null where traces are off. Loads the SDK, which is large, only where they are on. */
export const openTraces = async (settings: Settings, logger: Logger) =>
  tracesAsked(settings) ? (await import('../../infra/telemetry/open-tracing.ts')).openTracing(logger, SOFTWARE_VERSION) : null;
