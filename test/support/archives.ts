import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { derivedId } from '../../domain/identifiers.ts';
import type { EventLog, Position, StoredEvent } from '../../domain/ports/event-log.ts';
import type { SavedRow, WorkingRows } from '../../domain/ports/stores.ts';
import { BLOCK_LINES, BlockChain, fileSeal } from '../../src/cli/backup/archive-format.ts';
import { verifyArchive } from '../../src/cli/backup/verify-archive.ts';
import { archiveBytes } from '../../src/cli/backup/write-archive.ts';

const positionOf = (number: number): Position => String(number).padStart(20, '0') as Position;

/** A log of so many events that can be read from its beginning: the feed's opening, then topics with two versions each. */
export const plainLog = (count: number, data: (nth: number) => string = () => '"text, ünïcode 𝔘"'): StoredEvent[] =>
  Array.from({ length: count }, (_, nth): StoredEvent => {
    const [position, time] = [positionOf(nth + 1), 1_767_614_400_000 + nth];
    const common = {
      position,
      time,
      id: derivedId('plain', nth),
      schemaVersion: 1,
      metadata: `{"commandId":"${derivedId('command', nth)}"}`,
    };
    if (nth === 0) {
      const opened = `{"feedId":"${derivedId('plain', 'feed')}","reason":"created"}`;
      return { ...common, stream: 'feed-civic', revision: 0, type: 'FeedOpened', data: opened };
    }
    const id = derivedId('topic', Math.ceil(nth / 2));
    const record = `{"createdAt":"2026-01-05T12:00:00.000Z","id":"${id}","name":${data(nth)},"updatedAt":"2026-01-05T12:00:00.000Z"}`;
    return { ...common, stream: `topics-${id}`, revision: (nth + 1) % 2, type: 'RecordPublished', data: record };
  });

export const logOf = (events: readonly StoredEvent[]): EventLog =>
  ({
    head: async () => events.at(-1)!.position,
    distance: () => events.length,
    readLast: async () => new Map(),
    readAll: async ({ after, limit }) => {
      const page = events.filter(({ position }) => position > after).slice(0, limit);
      return { events: page, scannedTo: page.at(-1)?.position ?? after };
    },
  }) as Pick<EventLog, 'head' | 'distance' | 'readAll' | 'readLast'> as EventLog;

export const rowsOf = (payments: readonly SavedRow[] = []): WorkingRows =>
  ({
    page: async (table, after, limit) =>
      table === 'payments' ? payments.filter(({ key }) => after === null || key > after).slice(0, limit) : [],
    reactors: async () => [{ name: 'classification', checkpoint: positionOf(2) }],
    trialClock: async () => null,
  }) as Pick<WorkingRows, 'page' | 'reactors' | 'trialClock'> as WorkingRows;

export const HEADER = {
  civicBackup: 1,
  backupId: derivedId('plain', 'backup'),
  createdAt: '2026-01-06T12:00:00.000Z',
  software: '1.0.0',
  logId: derivedId('plain', 'log'),
  feedId: derivedId('plain', 'feed'),
  trialClock: null,
};

/** A whole backup in memory. */
export async function archiveOf(log: EventLog, rows: WorkingRows = rowsOf()): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const signal = new AbortController().signal;
  const nothing = () => undefined;
  for await (const chunk of archiveBytes({ log, rows, header: HEADER, signal, onProgress: nothing, onEnd: nothing }))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export const verified = (bytes: Buffer, piece = 4096) => verifyArchive(inPieces(bytes, piece));

/** An archive of these lines with valid seals: only its content can be wrong. */
export function sealedAnew(lines: readonly string[]): Buffer {
  const chain = new BlockChain();
  const sealed = lines.flatMap((line, at) => {
    chain.add(line);
    return chain.lines === BLOCK_LINES || at === lines.length - 1 ? [line, chain.seal()] : [line];
  });
  return withFileSeal(gzipSync(`${sealed.join('\n')}\n`));
}

export const withFileSeal = (compressed: Buffer): Buffer =>
  Buffer.concat([compressed, fileSeal(compressed.length, createHash('sha256').update(compressed).digest('hex'))]);
