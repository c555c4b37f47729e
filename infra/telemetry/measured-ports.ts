import { type AppendOutcome, type EventLog, OutcomeUnknown } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import type { AppendResult, ProcessFigures } from '../../domain/process-figures.ts';

const resultOf = (outcomes: readonly AppendOutcome[]): AppendResult =>
  outcomes.some(({ kind }) => kind === 'conflict') ? 'conflict' : 'appended';

/** Counts appends by how they went, with the time that they took from the caller's view. */
export const measuredLog = <Log extends EventLog>(log: Log, figures: ProcessFigures): Log => {
  const measured = async <Result>(
    work: () => Promise<Result>,
    outcomesOf: (result: Result) => readonly AppendOutcome[],
  ): Promise<Result> => {
    const started = performance.now();
    let result: AppendResult = 'failed';
    try {
      const done = await work();
      result = resultOf(outcomesOf(done));
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
    append: (append: Parameters<EventLog['append']>[0]) =>
      measured(
        () => log.append(append),
        (outcome) => [outcome],
      ),
    appendEach: (appends: Parameters<EventLog['appendEach']>[0]) =>
      measured(
        () => log.appendEach(appends),
        (outcomes) => outcomes,
      ),
  };
};

export const measuredProjections = (projections: readonly Projection[], figures: ProcessFigures): readonly Projection[] =>
  projections.map((projection) => ({
    ...projection,
    async fold(batch, context) {
      const started = performance.now();
      await projection.fold(batch, context);
      figures.folded(projection.name, (performance.now() - started) / 1000);
    },
  }));
