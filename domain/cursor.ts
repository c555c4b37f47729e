import { FINGERPRINT_BYTES } from './feed-fingerprint.ts';
import type { Resource } from './records/resources.ts';
import {
  type CursorDamage,
  cursorPayload,
  cursorText,
  MAX_CURSOR_LENGTH,
  POSITION_BYTES,
  positionEncoder,
  readPosition,
  UUID_BYTES,
  uuidBytes,
  uuidText,
  writePosition,
} from './cursor-text.ts';

/** What a feed cursor may be used with: `nothing` binds it to no filter, `all` to an unfiltered read, a resource to that filter. */
export type FeedBinding = 'nothing' | 'all' | Resource;

export interface FeedCursor {
  readonly feedId: string;
  /** The last feed position that its holder has seen. */
  readonly position: number;
  /** Fingerprint of the history up to the position; null in a cursor of an earlier version. */
  readonly fingerprint: string | null;
  readonly binding: FeedBinding;
}

export interface SnapshotPageCursor {
  readonly feedId: string;
  readonly snapshotId: string;
  readonly resource: Resource;
  /** The last feed position on the page before. */
  readonly position: number;
  /** Number of the last erasure that had changed the snapshot's records of this resource then, left out where there was none: all pages are of one reading. */
  readonly erasure?: number;
}

/** Numbers on the wire: cursors outlive releases, so a number is never reused. */
const BINDING_CODES: Readonly<Record<FeedBinding, number>> = {
  nothing: 0,
  all: 1,
  jurisdictions: 2,
  public_bodies: 3,
  sources: 4,
  topics: 5,
  meetings: 6,
  agendas: 7,
  agenda_items: 8,
  agenda_hits: 9,
  documents: 10,
  record_streams: 11,
  stream_records: 12,
};
const BINDINGS = new Map(Object.entries(BINDING_CODES).map(([name, code]) => [code, name as FeedBinding]));

/** Makes the feed cursors of one page; cheap for each further position. */
export function feedCursorEncoder(feedId: string, binding: FeedBinding): (position: number, fingerprint: string | null) => string {
  const encode = positionEncoder('feed', Buffer.concat([uuidBytes(feedId), Uint8Array.of(BINDING_CODES[binding])]));
  return (position, fingerprint) => encode(position, fingerprint ?? '');
}

export const encodeFeedCursor = ({ feedId, binding, position, fingerprint }: FeedCursor): string =>
  feedCursorEncoder(feedId, binding)(position, fingerprint);

/** The cursor, or why the text is none. Never throws; whether feed, binding and position fit is the reader's question. */
export function decodeFeedCursor(text: string): FeedCursor | CursorDamage {
  const payload = cursorPayload('feed', text, MAX_CURSOR_LENGTH);
  if (typeof payload === 'string') return payload;
  const end = UUID_BYTES + 1 + POSITION_BYTES;
  if (payload.length !== end && payload.length !== end + FINGERPRINT_BYTES) return 'damaged';
  const binding = BINDINGS.get(payload[UUID_BYTES]!);
  const position = readPosition(payload, UUID_BYTES + 1);
  if (binding === undefined || position === undefined) return 'damaged';
  const fingerprint = payload.length === end ? null : payload.toString('hex', end);
  return { feedId: uuidText(payload, 0), position, fingerprint, binding };
}

export function encodeSnapshotPageCursor({ feedId, snapshotId, resource, position, erasure }: SnapshotPageCursor): string {
  const numbers = [position, ...(erasure === undefined ? [] : [erasure])];
  const written = Buffer.alloc(numbers.length * POSITION_BYTES);
  for (const [index, number] of numbers.entries()) writePosition(written, index * POSITION_BYTES, number);
  const binding = Uint8Array.of(BINDING_CODES[resource]);
  return cursorText('snapshotPage', Buffer.concat([uuidBytes(feedId), uuidBytes(snapshotId), binding, written]));
}

/** The cursor, or why the text is none. Never throws. */
export function decodeSnapshotPageCursor(text: string): SnapshotPageCursor | CursorDamage {
  const payload = cursorPayload('snapshotPage', text, MAX_CURSOR_LENGTH);
  if (typeof payload === 'string') return payload;
  const plain = 2 * UUID_BYTES + 1 + POSITION_BYTES;
  if (payload.length !== plain && payload.length !== plain + POSITION_BYTES) return 'damaged';
  const resource = BINDINGS.get(payload[2 * UUID_BYTES]!);
  const position = readPosition(payload, 2 * UUID_BYTES + 1);
  const erasure = payload.length === plain ? undefined : readPosition(payload, plain);
  if (payload.length > plain && (erasure === undefined || erasure === 0)) return 'damaged';
  if (resource === undefined || resource === 'nothing' || resource === 'all' || position === undefined) return 'damaged';
  return {
    feedId: uuidText(payload, 0),
    snapshotId: uuidText(payload, UUID_BYTES),
    resource,
    position,
    ...(erasure === undefined ? {} : { erasure }),
  };
}
