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

/** The archive's text, block by block. Memory holds one block and one page of the log. */
async function* archiveText(source: ArchiveSource): AsyncGenerator<string> {
  const { log, rows, header, signal, onProgress, onEnd } = source;
  const chain = new BlockChain();
  let block: string[] = [];
  const add = (line: string): boolean => {
    chain.add(line);
    block.push(line);
    return chain.lines >= BLOCK_LINES || chain.bytes >= BLOCK_BYTES;
  };
  const seal = (): string => {
    const text = `${block.join('\n')}\n${chain.seal()}\n`;
    block = [];
    return text;
  };
  add(JSON.stringify(header));

  const readLastErasure = async () => (await log.readLast([ERASURES_STREAM])).get(ERASURES_STREAM)?.position;
  const erasedBefore = await readLastErasure();
  // Rows are read before the head, so that the log contains every fact that a row marks as published.
  const saved = countsOfTables();
  for (const table of SAVED_TABLES) {
    const limit = table === 'texts' ? TEXTS_A_PAGE : ROWS_A_PAGE;
    for (let after: string | null = null; ; ) {
      const page = await rows.page(table, after, limit);
      signal.throwIfAborted();
      for (const { key, text } of page) {
        saved[table] += 1;
        after = key;
        if (add(`{"${table}":${text}}`)) yield seal();
      }
      if (page.length < limit) break;
    }
  }
  const places = (await rows.reactors()).map(({ name, checkpoint }) => ({ name, checkpoint, after: 0 }));
  const head = await log.head();
  const total = log.distance(LOG_START, head);

  let events = 0;
  let last: Position = LOG_START;
  pages: for await (const { events: page } of logBatches(log, LOG_START, { batchSize: PAGE, signal })) {
    for (const event of page) {
      if (event.position > head) break pages;
      events += 1;
      last = event.position;
      for (const place of places) if (event.position <= place.checkpoint) place.after = events;
      if (add(lineOf(event).slice(0, -1))) yield seal();
    }
    onProgress(events, total);
  }
  if (last !== head) throw new Error(`the log ended at ${last || 'its start'} although its head was ${head}`);
  // Rows and events that were read before an erasure might contain the erased text.
  if ((await readLastErasure()) !== erasedBefore) {
    throw new CommandFailed(
      'a text was erased while the backup was written, which may hold it: no backup was kept; run it again',
    );
  }
  const end: ArchiveEnd = { events, head, ...saved, reactors: places.map(({ name, after }) => ({ name, after })) };
  // Versions before these rows read a backup without any.
  const isShown = ([name, value]: readonly [string, unknown]): boolean => value !== 0 || !ADDED_LATER.has(name);
  add(JSON.stringify({ end: Object.fromEntries(Object.entries(end).filter(isShown)) }));
  yield seal();
  onEnd(end);
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
