import { type AppendOutcome, type EventLog, OutcomeUnknown, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import type { AppendResult, ProcessFigures } from '../../domain/process-figures.ts';
import type { ReadDatabase, Statement, Transactor, TypedQuery } from '../../domain/ports/database.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import type { SpanStart, Tracing } from '../../domain/ports/tracing.ts';

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

/** What a statement does, without its values: its verb, and its name where it has one (generations left out, so that there are few). */
function ofStatement(text: string, name?: string): SpanStart {
  const operation = /^\W*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'STATEMENT';
  const summary = name === undefined ? operation : `${operation} ${name.replace(/_g\d+(?=_|$)/, '')}`;
  return {
    name: summary,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.summary': summary },
  };
}

export const tracedReads = (read: ReadDatabase, tracing: Tracing): ReadDatabase => ({
  many: <Row>(query: TypedQuery<Row>) => tracing.part(ofStatement(query.sql), () => read.many(query)),
  texts: (statement) => tracing.part(ofStatement(statement.text, statement.name), () => read.texts(statement)),
});

export const tracedStatements =
  <More extends readonly unknown[], Result>(run: (statement: Statement, ...more: More) => Promise<Result>, tracing: Tracing) =>
  (statement: Statement, ...more: More): Promise<Result> =>
    tracing.part(ofStatement(statement.text, statement.name), () => run(statement, ...more));

export const tracedTransactor = (transactor: Transactor, tracing: Tracing): Transactor => ({
  transaction: (work) =>
    tracing.part({ name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } }, () =>
      transactor.transaction((transaction) => work({ execute: tracedStatements((statement) => transaction.execute(statement), tracing) })),
    ),
});

const category = (stream: string): string => stream.split('-', 1)[0]!;

/** Appends and awaited reads; waits of subscriptions are no spans. */
export function tracedLog<Log extends EventLog>(log: Log, tracing: Tracing): Log {
  const reading = <Result>(what: string, work: () => Promise<Result>) =>
    tracing.part({ name: `log ${what}`, kind: 'client', attributes: {} }, work);
  const traced: Pick<EventLog, 'append' | 'appendEach' | 'readStream' | 'readLast'> = {
    append: (append) =>
      tracing.span(
        { name: `append ${category(append.stream)}`, kind: 'producer', attributes: { 'civic.events': append.events.length } },
        () => log.append(append),
      ),
    appendEach: (appends) =>
      tracing.span({ name: 'append batch', kind: 'producer', attributes: { 'civic.streams': appends.length } }, () =>
        log.appendEach(appends),
      ),
    readStream: (stream, afterRevision, limit) => reading(`read ${category(stream)}`, () => log.readStream(stream, afterRevision, limit)),
    readLast: (streams) => reading('read last', () => log.readLast(streams)),
  };
  return { ...log, ...traced };
}

/** A batch is named by its position in the log. */
const ofBatch = (batch: readonly Pick<StoredEvent, 'position'>[]) => ({
  'civic.events': batch.length,
  'civic.position.first': batch[0]?.position ?? '',
  'civic.position.last': batch.at(-1)?.position ?? '',
});

export const tracedProjection = (projection: Projection, tracing: Tracing): Projection => ({
  ...projection,
  fold: (batch, context) => {
    const attributes = { 'civic.projection': projection.name, 'civic.generation': context.generation, ...ofBatch(batch) };
    return tracing.span({ name: `fold ${projection.name}`, kind: 'consumer', attributes }, () => projection.fold(batch, context));
  },
});

export const tracedReactor = (reactor: Reactor, tracing: Tracing): Reactor => ({
  ...reactor,
  begin() {
    const handle = reactor.begin();
    return (batch, running) => {
      const attributes = { 'civic.reactor': reactor.name, ...ofBatch(batch) };
      return tracing.span({ name: `react ${reactor.name}`, kind: 'consumer', attributes }, () => handle(batch, running));
    };
  },
});
