import { type AppendOutcome, type EventLog, OutcomeUnknown, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import type { AppendResult, ProcessFigures } from '../../plumbing/process-figures.ts';
import type { CancellableRead, ReadDatabase, ReadRows, Transactor } from '../../domain/ports/database.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import type { SpanAttributes, SpanStart, Tracing } from '../../domain/ports/tracing.ts';

/**
 * Returns a span named by the statement's verb and name. It has no values and no generation number, so names stay few.
 */
function statementSpan(text: string, name?: string): SpanStart {
  const operation = /^\W*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'STATEMENT';
  const summary = name === undefined ? operation : `${operation} ${name.replace(/_g\d+(?=_|$)/, '')}`;
  return {
    name: summary,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.summary': summary },
  };
}

interface Statements {
  readonly read: ReadDatabase;
  readonly transactor: Transactor;
  readonly countRows: ReadRows;
  readonly search: CancellableRead;
}

export function observedDatabase<Database extends Statements>(database: Database, tracing: Tracing | null): Database {
  if (tracing === null) return database;
  const tracedRows =
    (readRows: ReadRows): ReadRows =>
    (statement) =>
      tracing.part(statementSpan(statement.text, statement.name), () => readRows(statement));
  const { read, transactor, countRows, search } = database;
  const transactionSpan: SpanStart = {
    name: 'transaction',
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql' },
  };
  const observed: Statements = {
    read: {
      many: (query) => tracing.part(statementSpan(query.sql), () => read.many(query)),
      rows: tracedRows((statement) => read.rows(statement)),
    },
    transactor: {
      transaction: (work) =>
        tracing.part(transactionSpan, () =>
          transactor.transaction((transaction) =>
            work({
              query: (statement) =>
                tracing.part(statementSpan(statement.text, statement.name), () => transaction.query(statement)),
            }),
          ),
        ),
    },
    countRows: tracedRows(countRows),
    search: (statement, signal) =>
      tracing.part(statementSpan(statement.text, statement.name), () => search(statement, signal)),
  };
  return { ...database, ...observed };
}

const categoryOf = (stream: string): string => stream.split('-', 1)[0]!;

/**
 * Measures an append as its caller sees it, queueing included. With tracing, appends and awaited reads are spans; the
 * waits of subscriptions are not.
 */
export function observedLog<Log extends EventLog>(log: Log, tracing: Tracing | null, figures: ProcessFigures): Log {
  const measureAppend = async <Result extends AppendOutcome | readonly AppendOutcome[]>(
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const started = performance.now();
    let result: AppendResult = 'failed';
    try {
      const outcome = await (tracing === null ? work() : tracing.span({ name, kind: 'producer', attributes }, work));
      const outcomes: readonly AppendOutcome[] = 'kind' in outcome ? [outcome] : outcome;
      result = outcomes.some(({ kind }) => kind === 'conflict') ? 'conflict' : 'appended';
      return outcome;
    } catch (error) {
      if (error instanceof OutcomeUnknown) result = 'unknown';
      throw error;
    } finally {
      figures.appended(result, (performance.now() - started) / 1000);
    }
  };
  const traceRead = <Result>(what: string, work: () => Promise<Result>): Promise<Result> =>
    tracing === null ? work() : tracing.part({ name: `log ${what}`, kind: 'client', attributes: {} }, work);
  const observed: Pick<EventLog, 'append' | 'appendEach' | 'readStream' | 'readLast'> = {
    append: (append) =>
      measureAppend(`append ${categoryOf(append.stream)}`, { 'civic.events': append.events.length }, () =>
        log.append(append),
      ),
    appendEach: (appends) =>
      measureAppend('append batch', { 'civic.streams': appends.length }, () => log.appendEach(appends)),
    readStream: (stream, afterRevision, limit) =>
      traceRead(`read ${categoryOf(stream)}`, () => log.readStream(stream, afterRevision, limit)),
    readLast: (streams) => traceRead('read last', () => log.readLast(streams)),
  };
  return { ...log, ...observed };
}

const consumerSpan = (
  name: string,
  attributes: SpanAttributes,
  batch: readonly Pick<StoredEvent, 'position'>[],
): SpanStart => ({
  name,
  kind: 'consumer',
  attributes: {
    ...attributes,
    'civic.events': batch.length,
    'civic.position.first': batch[0]?.position ?? '',
    'civic.position.last': batch.at(-1)?.position ?? '',
  },
});

export const observedProjection = (
  projection: Projection,
  tracing: Tracing | null,
  figures: ProcessFigures,
): Projection => ({
  ...projection,
  async fold(batch, context) {
    const { name } = projection;
    const fold = () => projection.fold(batch, context);
    const started = performance.now();
    const attributes = { 'civic.projection': name, 'civic.generation': context.generation };
    await (tracing === null ? fold() : tracing.span(consumerSpan(`fold ${name}`, attributes, batch), fold));
    figures.folded(name, (performance.now() - started) / 1000);
  },
});

export const observedReactor = (reactor: Reactor, tracing: Tracing | null): Reactor =>
  tracing === null
    ? reactor
    : {
        ...reactor,
        begin() {
          const { name } = reactor;
          const handle = reactor.begin();
          return (batch, running) =>
            tracing.span(consumerSpan(`react ${name}`, { 'civic.reactor': name }, batch), () => handle(batch, running));
        },
      };
