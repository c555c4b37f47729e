import { Gauge, type Registry } from 'prom-client';

export interface ProjectionLag {
  readonly name: string;
  /** Null where the log cannot count. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number;
}

/** Gauges of each projection's lag, asked for once when the metrics are read; where it cannot be told they are absent. */
export const registerLagMetrics = (registry: Registry, readLag: () => Promise<readonly ProjectionLag[]>): void => {
  let asked: Promise<readonly ProjectionLag[]> | undefined;
  const lags = (): Promise<readonly ProjectionLag[]> => {
    asked ??= readLag()
      .catch(() => [])
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  const gauge = (name: string, help: string, valueOf: (lag: ProjectionLag) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['projection'],
      registers: [registry],
      async collect() {
        const known = await lags();
        this.reset();
        for (const lag of known) {
          const value = valueOf(lag);
          if (value !== null) this.set({ projection: lag.name }, value);
        }
      },
    });
  gauge('civic_projection_lag_events', 'Events in the log that the projection has yet to fold.', ({ lagEvents }) => lagEvents);
  gauge('civic_projection_lag_seconds', 'Age of the oldest event that the projection has yet to fold.', ({ lagSeconds }) => lagSeconds);
};
