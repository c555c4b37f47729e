import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { countsOfTables, SAVED_TABLES, type SavedTable } from '../../../domain/ports/stores.ts';
import type { CopiedEvent } from '../log-copy/copy-events.ts';
import { MAX_LINE_BYTES, readLines } from '../../sources/ndjson/read-lines.ts';
import {
  archivedEvent,
  archiveEnd,
  type ArchiveEnd,
  archiveHeader,
  type ArchiveHeader,
  BadArchive,
  ForeignArchive,
  BLOCK_LINES,
  BlockChain,
  FILE_SEAL_BYTES,
  fileSeal,
  FORMAT,
} from './archive-format.ts';

/** Items of an archive in their order: header, rows, events, and the end with the SHA-256 of the file. */
type ArchiveItem =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  | { readonly kind: 'row'; readonly table: SavedTable; readonly text: string }
  | { readonly kind: 'event'; readonly event: CopiedEvent; readonly number: number }
  | { readonly kind: 'end'; readonly end: ArchiveEnd; readonly sha256: string };

const LINE_FEED = 0x0a;
const NO_BACKUP = 'this is no backup of this program';
/** Allowed excess of compressed over inflated bytes: incompressible text grows, and zlib buffers. */
const COMPRESSED_SLACK_BYTES = 1_048_576;

/** Yields the bytes before the file's seal. Throws `BadArchive` at their end if the seal does not match them. */
class SealedBytes {
  readonly #hash = createHash('sha256');
  #tail = Buffer.alloc(0);
  bytes = 0;
  sha256 = '';

  async *of(file: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    for await (const chunk of file) {
      const all = Buffer.concat([this.#tail, chunk]);
      const cut = Math.max(0, all.length - FILE_SEAL_BYTES);
      this.#tail = all.subarray(cut);
      if (cut === 0) continue;
      const part = all.subarray(0, cut);
      this.#hash.update(part);
      this.bytes += cut;
      yield part;
    }
    this.sha256 = this.#hash.digest('hex');
    if (!this.#tail.equals(fileSeal(this.bytes, this.sha256))) {
      throw new BadArchive(
        this.bytes === 0 ? NO_BACKUP : 'the file is truncated, was changed, or has data after its end',
      );
    }
  }
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown, what: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new BadArchive(`${what} is not of the form that it must have: ${result.error.issues[0]?.message ?? 'unknown'}`);
}

function json(bytes: Buffer, line: number): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new BadArchive(line === 1 ? NO_BACKUP : `line ${line} is no JSON`);
  }
}

/**
 * Reads an archive in bounded memory and checks seals, order and totals. Items are not verified before the end item arrives.
 * Throws `BadArchive`.
 */
export async function* readArchive(file: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveItem> {
  const sealed = new SealedBytes();
  const gunzip = createGunzip();
  const inflated = { bytes: 0 };
  const compressed = Readable.from(
    requireInflation(sealed.of(file), () => gunzip.bytesWritten - inflated.bytes),
    { highWaterMark: 1 },
  );
  compressed.on('error', (error) => gunzip.destroy(error));
  try {
    yield* readItems(requireShortLines(compressed.pipe(gunzip), inflated), sealed);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new BadArchive(
      code === 'Z_BUF_ERROR'
        ? 'the file is cut off'
        : `the file is damaged, or no backup (${(error as Error).message})`,
    );
  } finally {
    compressed.destroy();
    gunzip.destroy();
  }
}

/** Throws early if compressed bytes inflate to nothing, such as empty gzip members. */
async function* requireInflation(compressed: AsyncIterable<Buffer>, surplus: () => number): AsyncGenerator<Buffer> {
  for await (const part of compressed) {
    if (surplus() > COMPRESSED_SLACK_BYTES) throw new BadArchive('the file is compressed data that contains no text');
    yield part;
  }
}

/** Throws at the first line over the limit, before inflating all of it. */
async function* requireShortLines(text: AsyncIterable<Buffer>, inflated: { bytes: number }): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of text) {
    inflated.bytes += chunk.length;
    const last = chunk.lastIndexOf(LINE_FEED);
    length = last < 0 ? length + chunk.length : chunk.length - last;
    if (length > MAX_LINE_BYTES) throw new BadArchive('a line is longer than any that a backup has');
    yield chunk;
  }
}

async function* readItems(text: AsyncIterable<Buffer>, sealed: SealedBytes): AsyncGenerator<ArchiveItem> {
  const lines = new ArchiveLines();
  for await (const line of readLines(text, { blankLines: true })) {
    const item = lines.read(line);
    if (item !== null) yield item;
  }
  yield { kind: 'end', end: lines.finish(), sha256: sealed.sha256 };
}

interface Line {
  readonly bytes: Buffer;
  readonly number: number;
  readonly length: number;
}

type Counts = Record<'events' | SavedTable, number>;

/** Checks the order of the lines: header, rows, events, end. A seal ends each block of lines; the last one seals the end. */
class ArchiveLines {
  readonly #chain = new BlockChain();
  readonly #counts: Counts = { events: 0, ...countsOfTables() };
  #hasHeader = false;
  #end: ArchiveEnd | null = null;
  #isSealed = false;

  /** Returns null for a seal and for the end. */
  read({ bytes, number, length }: Line): ArchiveItem | null {
    if (this.#isSealed) throw new BadArchive(`line ${number} comes after the end`);
    if (length > MAX_LINE_BYTES) throw new BadArchive(`line ${number} is longer than any that a backup has`);
    const value = json(bytes, number);
    if (this.#hasHeader && isObject(value) && 'block' in value) {
      this.#checkSeal(bytes, number);
      return null;
    }
    const item = this.#hasHeader ? this.#readContent(value, bytes, number) : this.#readHeader(value);
    this.#chain.add(bytes);
    return item;
  }

  /** Returns the end. Throws if it is missing or has other totals. */
  finish(): ArchiveEnd {
    const end = this.#end;
    if (end === null || !this.#isSealed) throw new BadArchive(this.#hasHeader ? 'the backup has no end' : NO_BACKUP);
    for (const [what, found] of Object.entries(this.#counts)) {
      const expected = end[what as keyof Counts];
      if (found !== expected)
        throw new BadArchive(`there are ${found} ${what}, but the end of the file states ${expected}`);
    }
    return end;
  }

  #checkSeal(bytes: Buffer, number: number): void {
    if (this.#chain.lines === 0) throw new BadArchive(`the block that ends with line ${number} is empty`);
    if (bytes.toString() !== this.#chain.seal())
      throw new BadArchive(`the block that ends with line ${number} is not as it was written`);
    this.#isSealed = this.#end !== null;
  }

  #readHeader(value: unknown): ArchiveItem {
    const header = parseHeader(value);
    this.#hasHeader = true;
    return { kind: 'header', header };
  }

  #readContent(value: unknown, bytes: Buffer, number: number): ArchiveItem | null {
    if (this.#end !== null) throw new BadArchive(`line ${number} comes after the end`);
    if (this.#chain.lines === BLOCK_LINES) throw new BadArchive(`line ${number} is one more than a block has`);
    if (Array.isArray(value)) return this.#readEvent(value, number);
    if (!isObject(value) || !('end' in value)) return this.#readRow(value, bytes, number);
    this.#end = parsed(archiveEnd, value, `the end in line ${number}`).end;
    return null;
  }

  #readEvent(value: unknown, number: number): ArchiveItem {
    const fields = parsed(archivedEvent, value, `the event in line ${number}`);
    const [stream, revision, id, type, schemaVersion, data, metadata, time] = fields;
    const event = { stream, revision, id, type, schemaVersion, data, metadata, time };
    this.#counts.events += 1;
    return { kind: 'event', event, number: this.#counts.events };
  }

  #readRow(value: unknown, bytes: Buffer, number: number): ArchiveItem {
    const isRowOf = (table: SavedTable): boolean =>
      isObject(value) && isObject(value[table]) && Object.keys(value).length === 1;
    const table = SAVED_TABLES.find(isRowOf);
    if (table === undefined || this.#counts.events > 0)
      throw new BadArchive(`line ${number} has a kind that is not allowed here`);
    this.#counts[table] += 1;
    return { kind: 'row', table, text: bytes.toString().slice(`{"${table}":`.length, -1) };
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseHeader(value: unknown): ArchiveHeader {
  if (!isObject(value) || typeof value['civicBackup'] !== 'number') throw new BadArchive(NO_BACKUP);
  if (value['civicBackup'] !== FORMAT) {
    throw new ForeignArchive(
      `it is of format ${value['civicBackup']}, and this version reads format ${FORMAT}: use the version that wrote it`,
    );
  }
  return parsed(archiveHeader, value, 'the header');
}
