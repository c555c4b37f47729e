import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { SAVED_TABLES, type SavedTable } from '../../../domain/ports/stores.ts';
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

/** Content of an archive in its order: header, rows, events, and the end with the SHA-256 of the file. */
type ArchiveItem =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  | { readonly kind: 'row'; readonly table: SavedTable; readonly text: string }
  | { readonly kind: 'event'; readonly event: CopiedEvent; readonly number: number }
  | { readonly kind: 'end'; readonly end: ArchiveEnd; readonly sha256: string };

const LINE_FEED = 0x0a;
const NO_BACKUP = 'this is no backup of this program';
/** Most compressed bytes beyond the inflated ones: growth of incompressible text, and what zlib buffers. */
const COMPRESSED_SLACK_BYTES = 1_048_576;

/** The bytes before the file's seal. Throws `BadArchive` at their end unless the seal is the one that they determine. */
class SealedBytes {
  readonly #hash = createHash('sha256');
  #held = Buffer.alloc(0);
  bytes = 0;
  sha256 = '';

  async *of(file: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    for await (const chunk of file) {
      const all = Buffer.concat([this.#held, chunk]);
      const cut = Math.max(0, all.length - FILE_SEAL_BYTES);
      this.#held = all.subarray(cut);
      if (cut === 0) continue;
      const part = all.subarray(0, cut);
      this.#hash.update(part);
      this.bytes += cut;
      yield part;
    }
    this.sha256 = this.#hash.digest('hex');
    if (!this.#held.equals(fileSeal(this.bytes, this.sha256))) {
      throw new BadArchive(this.bytes === 0 ? NO_BACKUP : 'the file is cut off, was changed, or goes on after its end');
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

/** Reads an archive in bounded memory; checks seals, order, totals. What precedes the end item is not verified yet. Throws `BadArchive`. */
export async function* readArchive(file: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveItem> {
  const sealed = new SealedBytes();
  const gunzip = createGunzip();
  const inflated = { bytes: 0 };
  const compressed = Readable.from(
    whileInflating(sealed.of(file), () => gunzip.bytesWritten - inflated.bytes),
    { highWaterMark: 1 },
  );
  compressed.on('error', (error) => gunzip.destroy(error));
  try {
    yield* itemsOf(withShortLines(compressed.pipe(gunzip), inflated), sealed);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new BadArchive(
      code === 'Z_BUF_ERROR' ? 'the file is cut off' : `the file is damaged, or no backup (${(error as Error).message})`,
    );
  } finally {
    compressed.destroy();
    gunzip.destroy();
  }
}

/** Throws early at compressed bytes that inflate to nothing, such as empty gzip members. */
async function* whileInflating(compressed: AsyncIterable<Buffer>, surplus: () => number): AsyncGenerator<Buffer> {
  for await (const part of compressed) {
    if (surplus() > COMPRESSED_SLACK_BYTES) throw new BadArchive('the file is compressed data that holds no text');
    yield part;
  }
}

/** Throws early at a line over the limit, instead of inflating all of it. */
async function* withShortLines(text: AsyncIterable<Buffer>, inflated: { bytes: number }): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of text) {
    inflated.bytes += chunk.length;
    const last = chunk.lastIndexOf(LINE_FEED);
    length = last < 0 ? length + chunk.length : chunk.length - last;
    if (length > MAX_LINE_BYTES) throw new BadArchive('a line is longer than any that a backup has');
    yield chunk;
  }
}

async function* itemsOf(text: AsyncIterable<Buffer>, sealed: SealedBytes): AsyncGenerator<ArchiveItem> {
  const chain = new BlockChain();
  let end: ArchiveEnd | null = null;
  let hasHeader = false;
  let isSealed = false;
  const counted = { events: 0, payments: 0, wallets: 0, inlet: 0 };
  for await (const { bytes, number, length } of readLines(text, { blankLines: true })) {
    if (isSealed) throw new BadArchive(`line ${number} comes after the end`);
    if (length > MAX_LINE_BYTES) throw new BadArchive(`line ${number} is longer than any that a backup has`);
    const value = json(bytes, number);
    if (!hasHeader) {
      yield { kind: 'header', header: headerOf(value) };
      hasHeader = true;
      chain.add(bytes);
      continue;
    }
    if (isObject(value) && 'block' in value) {
      if (chain.lines === 0) throw new BadArchive(`the block that ends with line ${number} is empty`);
      if (bytes.toString() !== chain.seal()) throw new BadArchive(`the block that ends with line ${number} is not as it was written`);
      isSealed = end !== null;
      continue;
    }
    if (end !== null) throw new BadArchive(`line ${number} comes after the end`);
    if (chain.lines === BLOCK_LINES) throw new BadArchive(`line ${number} is one more than a block has`);
    chain.add(bytes);
    if (Array.isArray(value)) {
      const [stream, revision, id, type, schemaVersion, data, metadata, time] = parsed(archivedEvent, value, `the event in line ${number}`);
      counted.events += 1;
      yield { kind: 'event', event: { stream, revision, id, type, schemaVersion, data, metadata, time }, number: counted.events };
    } else if (isObject(value) && 'end' in value) {
      end = parsed(archiveEnd, value, `the end in line ${number}`).end;
    } else {
      const table = SAVED_TABLES.find((name) => isObject(value) && isObject(value[name]) && Object.keys(value).length === 1);
      if (table === undefined || counted.events > 0) throw new BadArchive(`line ${number} is of no kind that stands here`);
      counted[table] += 1;
      yield { kind: 'row', table, text: bytes.toString().slice(`{"${table}":`.length, -1) };
    }
  }
  if (end === null || !isSealed) throw new BadArchive(hasHeader ? 'the backup has no end' : NO_BACKUP);
  for (const [what, found] of Object.entries(counted)) {
    const stated = end[what as keyof typeof counted];
    if (found !== stated) throw new BadArchive(`there are ${found} ${what}, and the end states ${stated}`);
  }
  yield { kind: 'end', end, sha256: sealed.sha256 };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function headerOf(value: unknown): ArchiveHeader {
  if (!isObject(value) || typeof value['civicBackup'] !== 'number') throw new BadArchive(NO_BACKUP);
  if (value['civicBackup'] !== FORMAT) {
    throw new ForeignArchive(
      `it is of format ${value['civicBackup']}, and this version reads format ${FORMAT}: use the version that wrote it`,
    );
  }
  return parsed(archiveHeader, value, 'the header');
}
