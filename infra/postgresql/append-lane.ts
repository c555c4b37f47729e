import { DatabaseUnavailable, DeadlineExceeded, type Statement, type TextRow } from '../../domain/ports/database.ts';
import { type AppendOutcome, LogUnavailable, type NewEvent, OutcomeUnknown, type StreamAppend } from '../../domain/ports/event-log.ts';
import { isConnectionLoss } from './errors.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { Session } from './sessions.ts';
import { columnArrays } from './column-arrays.ts';
import { toPosition } from './log-position.ts';

export interface AppendLane {
  /** Appends one group in one transaction. Throws `LogUnavailable` when nothing is stored, `OutcomeUnknown` when that is unknown. */
  send(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]>;
  close(): Promise<void>;
}

/** A refusal that the server sent before the commit leaves nothing stored; a broken or silent connection proves nothing. */
function classify(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded)) return error;
  if (error.cause === undefined || isConnectionLoss(error.cause)) {
    return new OutcomeUnknown('the connection to the log was lost while an append was under way', { cause: error });
  }
  return new LogUnavailable(error.message, { cause: error });
}

/** One connection for appends. While one lane waits for its flush, the statement of the other is parsed and waits for the lock. */
export function openAppendLane(session: Session): AppendLane {
  const connection = new PipelinedConnection(session);
  return {
    async send(appends) {
      try {
        await connection.connect();
      } catch (error) {
        throw new LogUnavailable('the log could not be reached; nothing was sent', { cause: error });
      }
      try {
        const { rows } = await connection.run(appendStatement(appends));
        return appendOutcomes(appends, rows[0]!);
      } catch (error) {
        throw classify(error);
      }
    },
    close: async () => await connection.close(),
  };
}

const appendOne = ({ stream, expectedRevision }: StreamAppend, event: NewEvent): Statement => ({
  name: 'append_one',
  text: 'select actual, start from civic.append_one($1, $2, $3, $4, $5, $6, $7, $8)',
  values: [stream, expectedRevision, event.id, event.type, event.schemaVersion, event.data, JSON.stringify(event.metadata), event.time],
});

function appendGroup(appends: readonly StreamAppend[]): Statement {
  const appendNos: number[] = [];
  const eventNos: number[] = [];
  const events: NewEvent[] = [];
  for (const [index, append] of appends.entries()) {
    for (const [nth, event] of append.events.entries()) {
      appendNos.push(index + 1);
      eventNos.push(nth + 1);
      events.push(event);
    }
  }
  return {
    name: 'append_group',
    text: 'select actual, starts from civic.append_group($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    values: [
      columnArrays.texts(appends.map(({ stream }) => stream)),
      columnArrays.bigints(appends.map(({ expectedRevision }) => expectedRevision)),
      columnArrays.bigints(appends.map((append) => append.events.length)),
      columnArrays.bigints(appendNos),
      columnArrays.bigints(eventNos),
      columnArrays.uuids(events.map(({ id }) => id)),
      columnArrays.texts(events.map(({ type }) => type)),
      columnArrays.bigints(events.map(({ schemaVersion }) => schemaVersion)),
      columnArrays.jsons(events.map(({ data }) => data)),
      columnArrays.jsons(events.map(({ metadata }) => JSON.stringify(metadata))),
      columnArrays.bigints(events.map(({ time }) => time)),
    ],
  };
}

/** One statement, and so one commit, for a group of appends of different streams. */
function appendStatement(appends: readonly StreamAppend[]): Statement {
  const [append] = appends;
  const [event] = append?.events ?? [];
  if (appends.length === 1 && append?.events.length === 1 && event !== undefined) return appendOne(append, event);
  return appendGroup(appends);
}

/** The integers in the text of an array, `{1,-1,3}`, or of a single integer. */
const numbers = (text: string): readonly number[] => (text.startsWith('{') ? text.slice(1, -1) : text).split(',').map(Number);

/** Outcomes in the order of the appends, from the statement's one row. */
export function appendOutcomes(appends: readonly StreamAppend[], row: TextRow): readonly AppendOutcome[] {
  const actual = numbers(row[0]!);
  const starts = numbers(row[1]!);
  return appends.map(({ expectedRevision, events }, index) =>
    starts[index]! < 0
      ? { kind: 'conflict', actualRevision: actual[index]! }
      : { kind: 'appended', position: toPosition(starts[index]! + events.length), revision: expectedRevision + events.length },
  );
}
