import type { ReadDatabase, TextRow } from '../../domain/ports/database.ts';
import {
  HistorySetBack,
  LOG_START,
  type LogBatch,
  MAX_BATCH_BYTES,
  type Position,
  type ReadAll,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import { ByteLimit, bytesOf } from '../../domain/read-log.ts';
import { columnArrays } from './column-arrays.ts';
import { positionNumber, toPosition } from './log-position.ts';

const COLUMNS = 'position, stream, revision, id, type, schema_version, data, metadata, time';

/**
 * The rows up to the one with which their data reaches so many bytes. The inner sum is of stored, compressed sizes: it costs no
 * decompression, and it keeps the exact sum from decompressing more than a few batches.
 */
function bounded(rows: string, bytes: string): string {
  const before = 'over (order by position rows between unbounded preceding and 1 preceding)';
  return `select ${COLUMNS} from (
    select b.*, sum(octet_length(data::text)) ${before} as bytes_before from (
      select a.*, sum(pg_column_size(data)) ${before} as stored_before from (${rows}) a
    ) b where coalesce(stored_before, 0) < 2 * ${bytes}
  ) c where coalesce(bytes_before, 0) < ${bytes} order by position`;
}

/** Includes the event at $1, without its data, to compare it with the event that the reader holds. */
const READ_ALL = bounded(
  `select ${COLUMNS.replace(/\bdata\b/, 'case when position > $1 then data end as data')} from civic.events
  where position >= $1 order by position limit $2`,
  `${MAX_BATCH_BYTES}`,
);

/** Head and rows are of one snapshot. $4 bounds the positions that one statement scans where few events match. */
const READ_FILTERED = `
  select head.position, before.id, upto.position, upto.id, e.* from (values (1)) one
  left join (select position from civic.events order by position desc limit 1) head on true
  left join (select id from civic.events where position = $1) before on true
  left join lateral (
    select position, id from civic.events where position <= least(head.position, $1 + $4) order by position desc limit 1
  ) upto on true
  left join lateral (
    ${bounded(
      `select ${COLUMNS} from civic.events
        where position > $1 and position <= upto.position and type = any ($2::text[]) order by position limit $3`,
      '$5::bigint',
    )}
  ) e on true`;

const READ_STREAM = bounded(
  `select ${COLUMNS} from civic.events where stream = $1 and revision > $2 order by revision limit $3`,
  `${MAX_BATCH_BYTES}`,
);

const READ_LAST = `
  select e.* from unnest($1::text[]) s(stream)
  cross join lateral (select ${COLUMNS} from civic.events where stream = s.stream order by revision desc limit 1) e`;

const READ_HEAD = 'select max(position) from civic.events';
const WINDOW = 100_000;
type Run = ReadDatabase['texts'];

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

/** Positions are dense. Throws for a gap: to continue would lose events silently. */
function checkDense(rows: readonly TextRow[], after: number): void {
  for (const [index, row] of rows.entries()) {
    if (Number(row[0]) !== after + index + 1) {
      throw new Error(`the log is damaged: position ${after + index + 1} is missing before ${row[0]}; restore a backup`);
    }
  }
}

/** Throws `HistorySetBack` where the log has another event, or none, at the position of an event that was read. */
function checkHistory(at: number, found: string | undefined, held: string | undefined): void {
  if (held !== undefined && found !== held) throw new HistorySetBack(toPosition(at), held);
}

async function readUnfiltered(run: Run, { after, afterId, limit }: ReadAll): Promise<LogBatch> {
  const from = positionNumber(after);
  const rows = await run({ name: 'log_read_all', text: READ_ALL, values: [from, limit + 1] });
  const before = Number(rows[0]?.[0]) === from ? rows[0]![3]! : undefined;
  checkHistory(from, before, afterId);
  const found = before === undefined ? rows.slice(0, limit) : rows.slice(1);
  checkDense(found, from);
  const events = found.map((row) => toEvent(row));
  const last = events.at(-1);
  return { events, scannedTo: last?.position ?? after, scannedId: last?.id ?? before, isCut: bytesOf(events).isReached };
}

async function readFiltered(run: Run, { after, afterId, limit }: ReadAll, types: readonly string[]): Promise<LogBatch> {
  const events: StoredEvent[] = [];
  const wanted = columnArrays.texts(types);
  const bytes = new ByteLimit();
  let held = afterId;
  for (let from = positionNumber(after); ; ) {
    const left = limit - events.length;
    const rows = await run({ name: 'log_read_filtered', text: READ_FILTERED, values: [from, wanted, left, WINDOW, bytes.left] });
    const [head, before, upto, uptoId] = rows[0]!;
    checkHistory(from, before ?? undefined, held);
    for (const row of rows) {
      if (row[4] === null) continue;
      const event = toEvent(row, 4);
      events.push(event);
      bytes.add(event.data);
    }
    const last = events.at(-1);
    if (last !== undefined && (events.length >= limit || bytes.isReached))
      return { events, scannedTo: last.position, scannedId: last.id, isCut: bytes.isReached };
    if (head === null || Number(head) <= from) return { events, scannedTo: after, scannedId: before ?? undefined };
    if (upto === head) return { events, scannedTo: toPosition(head!), scannedId: uptoId! };
    from = Number(upto);
    held = uptoId!;
  }
}

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
  async head(): Promise<Position> {
    const [row] = await run({ name: 'log_head', text: READ_HEAD, values: [] });
    return row?.[0] ? toPosition(row[0]) : LOG_START;
  },
});
