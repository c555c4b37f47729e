import type { Statement, TextRow } from '../../domain/ports/database.ts';
import type { LogBatch, Position, ReadAll, StoredEvent } from '../../domain/ports/event-log.ts';
import { columnArrays } from './column-arrays.ts';
import { positionNumber, toPosition } from './log-position.ts';

const COLUMNS = 'position, stream, revision, id, type, schema_version, data, metadata, time';

const READ_ALL = `select ${COLUMNS} from civic.events where position > $1 order by position limit $2`;

/** The head is seen in the snapshot of the rows; a window bounds what one statement scans where the filter lets little through. */
const READ_FILTERED = `
  select head.position, head.id, e.* from (values (1)) one
  left join (select position, id from civic.events order by position desc limit 1) head on true
  left join lateral (
    select ${COLUMNS} from civic.events
    where position > $1 and position <= least(head.position, $1 + $4) and type = any ($2::text[]) order by position limit $3
  ) e on true`;

const READ_STREAM = `select ${COLUMNS} from civic.events where stream = $1 and revision > $2 order by revision limit $3`;

const READ_LAST = `
  select e.* from unnest($1::text[]) s(stream)
  cross join lateral (select ${COLUMNS} from civic.events where stream = s.stream order by revision desc limit 1) e`;

const READ_HEAD = 'select max(position) from civic.events';

const WINDOW = 100_000;

type Run = (statement: Statement) => Promise<readonly TextRow[]>;

const toEvent = (row: TextRow, from = 0): StoredEvent => ({
  position: toPosition(row[from]!),
  stream: row[from + 1]!,
  revision: Number(row[from + 2]),
  id: row[from + 3]!,
  type: row[from + 4]!,
  schemaVersion: Number(row[from + 5]),
  data: row[from + 6]!,
  metadata: row[from + 7]!,
  time: Number(row[from + 8]),
});

/** Positions are dense: a hole in what was read is a defect, and going on would lose events without a trace. */
const checkDense = (rows: readonly TextRow[], after: number): void => {
  for (const [index, row] of rows.entries()) {
    if (Number(row[0]) !== after + index + 1) {
      throw new Error(`the log is damaged: position ${after + index + 1} is missing before ${row[0]}; restore a backup`);
    }
  }
};

const readUnfiltered = async (run: Run, { after, limit }: ReadAll): Promise<LogBatch> => {
  const from = positionNumber(after);
  const rows = await run({ name: 'log_read_all', text: READ_ALL, values: [from, limit] });
  checkDense(rows, from);
  const events = rows.map((row) => toEvent(row));
  return { events, scannedTo: events.at(-1)?.position ?? after, scannedId: events.at(-1)?.id };
};

const readFiltered = async (run: Run, { after, limit }: ReadAll, types: readonly string[]): Promise<LogBatch> => {
  const events: StoredEvent[] = [];
  const wanted = columnArrays.texts(types);
  for (let from = positionNumber(after); ; from += WINDOW) {
    const left = limit - events.length;
    const rows = await run({ name: 'log_read_filtered', text: READ_FILTERED, values: [from, wanted, left, WINDOW] });
    for (const row of rows) if (row[2] !== null) events.push(toEvent(row, 2));
    if (events.length >= limit) return { events, scannedTo: events.at(-1)!.position, scannedId: events.at(-1)!.id };
    const head = Number(rows[0]![0]);
    if (head <= positionNumber(after)) return { events, scannedTo: after };
    if (head <= from + WINDOW) return { events, scannedTo: toPosition(head), scannedId: rows[0]![1]! };
  }
};

/** The statements that read the log; rows arrive as text and data stays text. */
export const logReads = (run: Run) => ({
  readAll: async (read: ReadAll): Promise<LogBatch> =>
    read.types === undefined ? await readUnfiltered(run, read) : await readFiltered(run, read, read.types),

  async readStream(stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]> {
    const rows = await run({ name: 'log_read_stream', text: READ_STREAM, values: [stream, afterRevision, limit] });
    return rows.map((row) => toEvent(row));
  },

  async readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
    const rows = await run({ name: 'log_read_last', text: READ_LAST, values: [columnArrays.texts([...new Set(streams)])] });
    return new Map(rows.map((row) => [row[1]!, toEvent(row)]));
  },

  async head(): Promise<Position | undefined> {
    const [row] = await run({ name: 'log_head', text: READ_HEAD, values: [] });
    return row?.[0] === null || row === undefined ? undefined : toPosition(row[0]!);
  },
});
