import { Gauge, type Registry } from 'prom-client';

export interface ProjectionLag {
  readonly name: string;
  /** Null where the log cannot count. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number;
}

/** Gauges of each projection's lag, asked for when the metrics are read; where it cannot be told they are absent. */
export const registerLagMetrics = (registry: Registry, readLag: () => Promise<readonly ProjectionLag[]>): void => {
  const events = new Gauge({
    name: 'civic_projection_lag_events',
    help: 'Events in the log that the projection has yet to fold.',
    labelNames: ['projection'],
    registers: [registry],
    async collect() {
      const lags = await readLag().catch(() => []);
      events.reset();
      seconds.reset();
      for (const { name, lagEvents, lagSeconds } of lags) {
        if (lagEvents !== null) events.set({ projection: name }, lagEvents);
        seconds.set({ projection: name }, lagSeconds);
      }
    },
  });
  const seconds = new Gauge({
    name: 'civic_projection_lag_seconds',
    help: 'Age of the oldest event that the projection has yet to fold.',
    labelNames: ['projection'],
    registers: [registry],
  });
};
