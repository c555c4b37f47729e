import { type AppendOutcome, type EventLog, OutcomeUnknown } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import type { AppendResult, ProcessFigures } from '../../domain/process-figures.ts';

/** Counts appends by how they went, with the time that they took from the caller's view. */
export function measuredLog<Log extends EventLog>(log: Log, figures: ProcessFigures): Log {
  const measured = async <Result extends AppendOutcome | readonly AppendOutcome[]>(work: () => Promise<Result>): Promise<Result> => {
    const started = performance.now();
    let result: AppendResult = 'failed';
    try {
      const done = await work();
      const outcomes: readonly AppendOutcome[] = 'kind' in done ? [done] : done;
      result = outcomes.some(({ kind }) => kind === 'conflict') ? 'conflict' : 'appended';
      return done;
    } catch (error) {
      if (error instanceof OutcomeUnknown) result = 'unknown';
      throw error;
    } finally {
      figures.appended(result, (performance.now() - started) / 1000);
    }
  };
  return {
    ...log,
    append: (append: Parameters<EventLog['append']>[0]) => measured(() => log.append(append)),
    appendEach: (appends: Parameters<EventLog['appendEach']>[0]) => measured(() => log.appendEach(appends)),
  };
}

export const measuredProjections = (projections: readonly Projection[], figures: ProcessFigures): readonly Projection[] =>
  projections.map((projection) => ({
    ...projection,
    async fold(batch, context) {
      const started = performance.now();
      await projection.fold(batch, context);
      figures.folded(projection.name, (performance.now() - started) / 1000);
    },
  }));
