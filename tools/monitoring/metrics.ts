import { Registry } from 'prom-client';
import { createHttpMetrics } from '../../src/edge/metrics/http-metrics.ts';
import { KAFKA_METRICS, PROCESS_METRICS } from '../../src/edge/metrics/process-metrics.ts';
import {
  KNOWN_METRICS,
  PROJECTION_LAG_METRICS,
  REPORT_METRICS,
  SHARED_METRICS,
} from '../../src/edge/metrics/shared-metrics.ts';

export interface NamedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** Every metric of the service, without those of the runtime. */
export async function allMetrics(): Promise<readonly NamedMetric[]> {
  const registry = new Registry();
  createHttpMetrics(registry);
  const ofRequests = (await registry.getMetricsAsJSON()) as unknown as readonly NamedMetric[];
  const others = [
    PROCESS_METRICS,
    KAFKA_METRICS,
    PROJECTION_LAG_METRICS,
    KNOWN_METRICS,
    SHARED_METRICS,
    REPORT_METRICS,
  ].flat();
  return [...ofRequests, ...others].map(({ name, type, help }) => ({ name, type, help }));
}
