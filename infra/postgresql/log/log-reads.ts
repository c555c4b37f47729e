import type { ReadRows } from '../../../domain/ports/database.ts';
import {
  HistorySetBack,
  LOG_START,
  type LogBatch,
  MAX_BATCH_BYTES,
  type Position,
  type ReadAll,
  type StoredEvent,
} from '../../../domain/ports/event-log.ts';
import { ByteLimit, bytesOf } from '../../../domain/read-log.ts';
import { positionNumber, toPosition } from './log-position.ts';

const COLUMNS = 'position, stream, revision, id, type, schema_version, data, metadata, time';
/** SQL of the columns of an `EventRow`. `data` and `metadata` remain text. */
const EVENT_ROW = `position, stream, revision, id, type, schema_version as "schemaVersion",
  data::text as data, metadata::text as metadata, time`;

/**
 * Returns SQL that ends `rows` with the row whose data reaches a number of bytes. The inner sum uses the stored,
 * compressed sizes, so that the exact outer sum decompresses at most a few batches.
 */
function limitBytes(rows: string, bytes: string): string {
  const before = 'over (order by position rows between unbounded preceding and 1 preceding)';
  return `select ${EVENT_ROW} from (
    select b.*, sum(octet_length(data::text)) ${before} as bytes_before from (
      select a.*, sum(pg_column_size(data)) ${before} as stored_before from (${rows}) a
    ) b where coalesce(stored_before, 0) < 2 * ${bytes}
  ) c where coalesce(bytes_before, 0) < ${bytes} order by position`;
}

/** Includes the event at $1, without its data, to compare it with the last event that the reader has read. */
const READ_ALL = limitBytes(
  `select ${COLUMNS.replace(/\bdata\b/, 'case when position > $1 then data end as data')} from civic.events
  where position >= $1 order by position limit $2`,
  `${MAX_BATCH_BYTES}`,
);

/** Reads head and rows in one snapshot. $4 limits the positions that one statement scans when few events match. */
const READ_FILTERED = `
  select head.position as head, before.id as before, upto.position as "upTo", upto.id as "upToId", e.*
  from (values (1)) one
  left join (select position from civic.events order by position desc limit 1) head on true
  left join (select id from civic.events where position = $1) before on true
  left join lateral (
    select position, id from civic.events where position <= least(head.position, $1 + $4) order by position desc limit 1
  ) upto on true
  left join lateral (
    ${limitBytes(
      `select ${COLUMNS} from civic.events
        where position > $1 and position <= upto.position and type = any ($2::text[]) order by position limit $3`,
      '$5::bigint',
    )}
  ) e on true`;

const READ_STREAM = limitBytes(
  `select ${COLUMNS} from civic.events where stream = $1 and revision > $2 order by revision limit $3`,
  `${MAX_BATCH_BYTES}`,
);

const READ_LAST = `
  select e.* from unnest($1::text[]) s(stream)
  cross join lateral (select ${EVENT_ROW} from civic.events where stream = s.stream order by revision desc limit 1) e`;

const READ_HEAD = 'select max(position) as head from civic.events';
const WINDOW = 100_000;

type EventRow = Omit<StoredEvent, 'position'> & { readonly position: number };

/** Row of a filtered read. Without an event, all columns of the event are null. */
interface FilteredRow extends Omit<EventRow, 'position'> {
  readonly head: number | null;
  readonly before: string | null;
  readonly upTo: number | null;
  readonly upToId: string | null;
  readonly position: number | null;
}

const toEvent = (row: EventRow): StoredEvent => ({
  position: toPosition(row.position),
  stream: row.stream,
  revision: row.revision,
  id: row.id,
  type: row.type,
  schemaVersion: row.schemaVersion,
  data: row.data,
  metadata: row.metadata,
  time: row.time,
});

/** Throws if a position is missing. Positions have no gaps, so events would be lost silently. */
function checkDense(rows: readonly EventRow[], after: number): void {
  for (const [index, { position }] of rows.entries()) {
    if (position !== after + index + 1) {
      throw new Error(
        `the log is damaged: position ${after + index + 1} is missing before ${position}; restore a backup`,
      );
    }
  }
}

/**
 * Throws `HistorySetBack` if the log has a different event, or none, at the position of an event that was read before.
 */
function checkHistory(at: number, id: string | undefined, readId: string | undefined): void {
  if (readId !== undefined && id !== readId) throw new HistorySetBack(toPosition(at), readId);
}

async function readUnfiltered(run: ReadRows, { after, afterId, limit }: ReadAll): Promise<LogBatch> {
  const from = positionNumber(after);
  const rows = await run<EventRow>({ name: 'log_read_all', text: READ_ALL, values: [from, limit + 1] });
  const before = rows[0]?.position === from ? rows[0].id : undefined;
  checkHistory(from, before, afterId);
  const later = before === undefined ? rows.slice(0, limit) : rows.slice(1);
  checkDense(later, from);
  const events = later.map(toEvent);
  const last = events.at(-1);
  return {
    events,
    scannedTo: last?.position ?? after,
    scannedId: last?.id ?? before,
    isCut: bytesOf(events).isReached,
  };
}

async function readFiltered(
  run: ReadRows,
  { after, afterId, limit }: ReadAll,
  types: readonly string[],
): Promise<LogBatch> {
  const events: StoredEvent[] = [];
  const bytes = new ByteLimit();
  let fromId = afterId;
  for (let from = positionNumber(after); ; ) {
    const remaining = limit - events.length;
    const rows = await run<FilteredRow>({
      name: 'log_read_filtered',
      text: READ_FILTERED,
      values: [from, types, remaining, WINDOW, bytes.remaining],
    });
    const { head, before, upTo, upToId } = rows[0]!;
    checkHistory(from, before ?? undefined, fromId);
    for (const row of rows) {
      if (row.position === null) continue;
      const event = toEvent({ ...row, position: row.position });
      events.push(event);
      bytes.add(event.data);
    }
    const last = events.at(-1);
    if (last !== undefined && (events.length >= limit || bytes.isReached))
      return { events, scannedTo: last.position, scannedId: last.id, isCut: bytes.isReached };
    if (head === null || head <= from) return { events, scannedTo: after, scannedId: before ?? undefined };
    if (upTo === head) return { events, scannedTo: toPosition(head), scannedId: upToId! };
    from = upTo!;
    fromId = upToId!;
  }
}

export const logReads = (run: ReadRows) => ({
  readAll: async (read: ReadAll): Promise<LogBatch> =>
    read.types === undefined ? await readUnfiltered(run, read) : await readFiltered(run, read, read.types),
  async readStream(stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]> {
    const values = [stream, afterRevision, limit];
    return (await run<EventRow>({ name: 'log_read_stream', text: READ_STREAM, values })).map(toEvent);
  },
  async readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
    const rows = await run<EventRow>({
      name: 'log_read_last',
      text: READ_LAST,
      values: [[...new Set(streams)]],
    });
    return new Map(rows.map((row) => [row.stream, toEvent(row)]));
  },
  async head(): Promise<Position> {
    const [row] = await run<{ head: number | null }>({ name: 'log_head', text: READ_HEAD, values: [] });
    return row?.head ? toPosition(row.head) : LOG_START;
  },
});
