import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { dateTime, uuid } from '../../../domain/records/fields.ts';

/**
 * A backup is one gzip file that `zcat` reads: lines of JSON in blocks (`docs/operators/backup-and-restore.md`
 * describes it for other programs). Each block ends with a line that carries the SHA-256 of the block before and of
 * each of its lines, and the whole file ends with a second, uncompressed gzip member that carries the number and the
 * SHA-256 of all bytes before it.
 */
export const FORMAT = 1;
/** Maximum lines of a block before its seal. */
export const BLOCK_LINES = 1_000;
const count = z.int().min(0);

export const archiveHeader = z.strictObject({
  civicBackup: z.int(),
  backupId: uuid,
  createdAt: dateTime,
  software: z.string(),
  logId: uuid,
  feedId: uuid,
  trialClock: z.strictObject({ startedAt: z.number(), offsetMs: z.number() }).nullable(),
});
export type ArchiveHeader = z.output<typeof archiveHeader>;

/** The last line before the seal of the last block. */
export const archiveEnd = z.strictObject({
  end: z.strictObject({
    events: z.int().min(1),
    /** Position of the last event in the log that was backed up. */
    head: z.string().min(1),
    payments: count,
    wallets: count,
    inlet: count,
    /** This and the next two are omitted if there are none. */
    unclassified: count.default(0),
    texts: count.default(0),
    addresses: count.default(0),
    /** Number of events that each reactor had handled. */
    reactors: z.array(z.strictObject({ name: z.string().min(1), after: count })),
  }),
});
export type ArchiveEnd = z.output<typeof archiveEnd>['end'];

/**
 * `[stream, revision, id, type, schemaVersion, data, metadata, time]`: data and metadata as the exact text in the log.
 */
export const archivedEvent = z.tuple([
  z.string().regex(/^[a-z_]+-./),
  count,
  uuid,
  z.string().min(1),
  z.int().min(1),
  z.string(),
  z.string(),
  z.int(),
]);

/** The file is not a backup, or has changed since it was written. */
export class BadArchive extends Error {
  override readonly name: string = 'BadArchive';
}

/** The backup was written by another version. It might be intact. */
export class ForeignArchive extends BadArchive {
  override readonly name = 'ForeignArchive';
}

const CHAIN_START = '0'.repeat(64);

/** Chains the blocks by SHA-256, for writer and reader. */
export class BlockChain {
  #previous = CHAIN_START;
  #hash: Hash = createHash('sha256').update(CHAIN_START);
  blocks = 0;
  lines = 0;
  bytes = 0;

  add(line: Uint8Array | string): void {
    this.#hash.update(line).update('\n');
    this.lines += 1;
    this.bytes += line.length;
  }

  seal(): string {
    this.#previous = this.#hash.digest('hex');
    const text = JSON.stringify({ block: this.blocks, lines: this.lines, sha256: this.#previous });
    this.#hash = createHash('sha256').update(this.#previous);
    this.blocks += 1;
    this.lines = 0;
    this.bytes = 0;
    return text;
  }
}

const BYTES_DIGITS = 20;
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Returns the last gzip member of the file. Its length is fixed, and the bytes before it determine its content. */
export function fileSeal(bytes: number, digest: string): Buffer {
  const text = Buffer.from(`{"file":{"bytes":"${String(bytes).padStart(BYTES_DIGITS, '0')}","sha256":"${digest}"}}\n`);
  const stored = Buffer.alloc(5);
  stored.writeUInt8(1, 0);
  stored.writeUInt16LE(text.length, 1);
  stored.writeUInt16LE(0xffff - text.length, 3);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(text), 0);
  trailer.writeUInt32LE(text.length, 4);
  return Buffer.concat([GZIP_HEADER, stored, text, trailer]);
}
export const FILE_SEAL_BYTES = fileSeal(0, CHAIN_START).length;
