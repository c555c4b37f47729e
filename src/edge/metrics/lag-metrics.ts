import type { Registry } from 'prom-client';
import { collectGauge } from './collected.ts';

/** Metrics of one generation of a read model. */
export interface ProjectionFigures {
  readonly name: string;
  /** Readers are answered from it. */
  readonly serves: boolean;
  /** It is being rebuilt. */
  readonly rebuild: boolean;
  /** Null where the log cannot count. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number;
  readonly folded: number;
  readonly rate: number | null;
  readonly leftEvents: number | null;
  readonly leftSeconds: number | null;
  readonly state: string;
}

const PAUSED = new Set(['paused', 'operator_paused']);

/** Gauges of each read model's lag and of its rebuild, read at each scrape; an unknown value is absent. */
export function registerLagMetrics(registry: Registry, readFigures: () => Promise<readonly ProjectionFigures[]>): void {
  const gauge = (name: string, help: string, valueOf: (figure: ProjectionFigures) => number | null): void =>
    collectGauge(registry, { name, help, label: 'projection' }, async () =>
      (await readFigures()).flatMap((figure) => {
        const value = valueOf(figure);
        return value === null ? [] : [[{ projection: figure.name }, value]];
      }),
    );
  const served = (name: string, help: string, valueOf: (figure: ProjectionFigures) => number | null) =>
    gauge(`civic_projection_${name}`, help, (figure) => (figure.serves ? valueOf(figure) : null));
  const rebuilt = (name: string, help: string, valueOf: (figure: ProjectionFigures) => number | null) =>
    gauge(`civic_projection_rebuild_${name}`, help, (figure) => (figure.rebuild ? valueOf(figure) : null));

  served('lag_events', 'Events in the log that the projection has yet to fold.', ({ lagEvents }) => lagEvents);
  served('lag_seconds', 'Age of the oldest event that the projection has yet to fold.', ({ lagSeconds }) => lagSeconds);
  served('fold_rate', 'Events that the projection folds in a second.', ({ rate }) => rate);
  rebuilt('folded_events', 'Events that the rebuild has folded; absent where none is under way.', ({ folded }) => folded);
  rebuilt('remaining_events', 'Events in the log that the rebuild has yet to pass.', ({ leftEvents }) => leftEvents);
  rebuilt('remaining_seconds', 'Time that the rest of the rebuild takes at its rate.', ({ leftSeconds }) => leftSeconds);
  rebuilt('fold_rate', 'Events that the rebuild folds in a second.', ({ rate }) => rate);
  rebuilt('paused', '1 while the rebuild is paused, by an operator or at an event.', ({ state }) => (PAUSED.has(state) ? 1 : 0));
}
