import { type AppendOutcome, type EventLog, OutcomeUnknown, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import type { AppendResult, ProcessFigures } from '../../domain/process-figures.ts';
import type { CancellableRead, ReadDatabase, Statement, TextRow, Transactor } from '../../domain/ports/database.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import type { SpanAttributes, SpanStart, Tracing } from '../../domain/ports/tracing.ts';

/** The verb of a statement and its name, without values; generations are left out, so that there are few names. */
function ofStatement(text: string, name?: string): SpanStart {
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
  readonly counting: (statement: Statement) => Promise<readonly TextRow[]>;
  readonly search: CancellableRead;
}

export function observedDatabase<Database extends Statements>(database: Database, tracing: Tracing | null): Database {
  if (tracing === null) return database;
  const traced =
    <More extends readonly unknown[], Result>(run: (statement: Statement, ...more: More) => Promise<Result>) =>
    (statement: Statement, ...more: More): Promise<Result> =>
      tracing.part(ofStatement(statement.text, statement.name), () => run(statement, ...more));
  const { read, transactor, counting, search } = database;
  const ofTransaction: SpanStart = { name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } };
  const observed: Statements = {
    read: {
      many: (query) => tracing.part(ofStatement(query.sql), () => read.many(query)),
      texts: traced((statement) => read.texts(statement)),
    },
    transactor: {
      transaction: (work) =>
        tracing.part(ofTransaction, () =>
          transactor.transaction((transaction) => work({ execute: traced((statement) => transaction.execute(statement)) })),
        ),
    },
    counting: traced(counting),
    search: traced(search),
  };
  return { ...database, ...observed };
}

const category = (stream: string): string => stream.split('-', 1)[0]!;

/** The time of an append is that of the caller. With traces, appends and awaited reads are spans; waits of subscriptions are not. */
export function observedLog<Log extends EventLog>(log: Log, tracing: Tracing | null, figures: ProcessFigures): Log {
  const appending = async <Result extends AppendOutcome | readonly AppendOutcome[]>(
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const started = performance.now();
    let result: AppendResult = 'failed';
    try {
      const done = await (tracing === null ? work() : tracing.span({ name, kind: 'producer', attributes }, work));
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
  const reading = <Result>(what: string, work: () => Promise<Result>): Promise<Result> =>
    tracing === null ? work() : tracing.part({ name: `log ${what}`, kind: 'client', attributes: {} }, work);
  const observed: Pick<EventLog, 'append' | 'appendEach' | 'readStream' | 'readLast'> = {
    append: (append) => appending(`append ${category(append.stream)}`, { 'civic.events': append.events.length }, () => log.append(append)),
    appendEach: (appends) => appending('append batch', { 'civic.streams': appends.length }, () => log.appendEach(appends)),
    readStream: (stream, afterRevision, limit) => reading(`read ${category(stream)}`, () => log.readStream(stream, afterRevision, limit)),
    readLast: (streams) => reading('read last', () => log.readLast(streams)),
  };
  return { ...log, ...observed };
}

const consuming = (name: string, attributes: SpanAttributes, batch: readonly Pick<StoredEvent, 'position'>[]): SpanStart => ({
  name,
  kind: 'consumer',
  attributes: {
    ...attributes,
    'civic.events': batch.length,
    'civic.position.first': batch[0]?.position ?? '',
    'civic.position.last': batch.at(-1)?.position ?? '',
  },
});

export const observedProjection = (projection: Projection, tracing: Tracing | null, figures: ProcessFigures): Projection => ({
  ...projection,
  async fold(batch, context) {
    const { name } = projection;
    const fold = () => projection.fold(batch, context);
    const started = performance.now();
    const attributes = { 'civic.projection': name, 'civic.generation': context.generation };
    await (tracing === null ? fold() : tracing.span(consuming(`fold ${name}`, attributes, batch), fold));
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
            tracing.span(consuming(`react ${name}`, { 'civic.reactor': name }, batch), () => handle(batch, running));
        },
      };
