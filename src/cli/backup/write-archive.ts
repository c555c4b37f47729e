import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { logBatches } from '../../../domain/read-log.ts';
import { type EventLog, LOG_START, type Position } from '../../../domain/ports/event-log.ts';
import { countsOfTables, SAVED_TABLES, type SavedTable, type WorkingRows } from '../../../domain/ports/stores.ts';
import { ERASURES_STREAM } from '../../../domain/streams.ts';
import { CommandFailed } from '../context.ts';
import { lineOf, PAGE } from '../log-copy/copy-events.ts';
import { type ArchiveEnd, type ArchiveHeader, BLOCK_LINES, BlockChain, fileSeal } from './archive-format.ts';

const BLOCK_BYTES = 1_048_576;
const ROWS_A_PAGE = 200;
/** A text has up to several megabytes. */
const TEXTS_A_PAGE = 5;
/** Twice as fast as the default of zlib; the file is a few percent larger. */
const GZIP_LEVEL = 3;

const ADDED_LATER: ReadonlySet<string> = new Set<SavedTable>(['unclassified', 'texts', 'addresses']);

interface ArchiveSource {
  readonly log: EventLog;
  readonly rows: WorkingRows;
  readonly header: ArchiveHeader;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number, of: number | null) => void;
  readonly onEnd: (end: ArchiveEnd) => void;
}

/** Yields the text of the archive in sealed blocks. Memory contains one block and one page of lines. */
async function* archiveText(source: ArchiveSource): AsyncGenerator<string> {
  const chain = new BlockChain();
  let block: string[] = [];
  const seal = (): string => {
    const text = `${block.join('\n')}\n${chain.seal()}\n`;
    block = [];
    return text;
  };
  for await (const lines of archiveLines(source)) {
    for (const line of lines) {
      if (chain.lines >= BLOCK_LINES || chain.bytes >= BLOCK_BYTES) yield seal();
      chain.add(line);
      block.push(line);
    }
  }
  yield seal();
}

/** Yields the lines of the archive: the header, the rows, the events up to the head of the log, and the end. */
async function* archiveLines(source: ArchiveSource): AsyncGenerator<readonly string[]> {
  const { log, rows, header, onEnd } = source;
  yield [JSON.stringify(header)];
  const erasedBefore = await lastErasure(log);
  // Rows are read before the head, so that the log contains every fact that a row marks as published.
  const saved = yield* rowLines(source);
  const places = (await rows.reactors()).map(({ name, checkpoint }) => ({ name, checkpoint, after: 0 }));
  const head = await log.head();
  const events = yield* eventLines(source, head, places);
  // Rows and events that were read before an erasure might contain the erased text.
  if ((await lastErasure(log)) !== erasedBefore) {
    throw new CommandFailed(
      'a text was erased during the backup, which might contain it: the backup was discarded; run the command again',
    );
  }
  const end: ArchiveEnd = { events, head, ...saved, reactors: places.map(({ name, after }) => ({ name, after })) };
  // Earlier versions can read a backup without these rows.
  const isShown = ([name, value]: readonly [string, unknown]): boolean => value !== 0 || !ADDED_LATER.has(name);
  yield [JSON.stringify({ end: Object.fromEntries(Object.entries(end).filter(isShown)) })];
  onEnd(end);
}

type Lines<Result> = AsyncGenerator<readonly string[], Result>;

/** Yields the saved rows, and returns their number by table. */
async function* rowLines({ rows, signal }: ArchiveSource): Lines<Readonly<Record<SavedTable, number>>> {
  const saved = countsOfTables();
  for (const table of SAVED_TABLES) {
    const limit = table === 'texts' ? TEXTS_A_PAGE : ROWS_A_PAGE;
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const page = await rows.page(table, after, limit);
      signal.throwIfAborted();
      yield page.map(({ text }) => `{"${table}":${text}}`);
      saved[table] += page.length;
      after = page.length < limit ? undefined : page.at(-1)!.key;
    }
  }
  return saved;
}

interface Place {
  readonly checkpoint: Position;
  /** Number of events up to the checkpoint. */
  after: number;
}

/** Yields the events up to the head, counts those up to each place, and returns the number of all. */
async function* eventLines(
  { log, signal, onProgress }: ArchiveSource,
  head: Position,
  places: readonly Place[],
): Lines<number> {
  const total = log.distance(LOG_START, head);
  let events = 0;
  let last: Position = LOG_START;
  for await (const batch of logBatches(log, LOG_START, { batchSize: PAGE, signal })) {
    const page = batch.events.filter(({ position }) => position <= head);
    for (const place of places) place.after += page.filter(({ position }) => position <= place.checkpoint).length;
    events += page.length;
    last = page.at(-1)?.position ?? last;
    yield page.map((event) => lineOf(event).slice(0, -1));
    if (page.length < batch.events.length) break;
    onProgress(events, total);
  }
  if (last !== head) throw new Error(`the log ended at ${last || 'its start'} although its head was ${head}`);
  return events;
}

/** Position of the last erasure; undefined before the first. */
async function lastErasure(log: EventLog): Promise<Position | undefined> {
  return (await log.readLast([ERASURES_STREAM])).get(ERASURES_STREAM)?.position;
}

export async function* archiveBytes(source: ArchiveSource): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: 65_536 });
  const text = Readable.from(archiveText(source), { highWaterMark: 1 });
  text.on('error', (error) => gzip.destroy(error));
  for await (const chunk of text.pipe(gzip) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  yield fileSeal(bytes, hash.digest('hex'));
}
