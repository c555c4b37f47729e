import { createHash } from 'node:crypto';
import { cursorPayload, cursorText, MAX_CURSOR_LENGTH, readTime, TIME_BYTES, UUID_BYTES, uuidBytes, uuidText } from './cursor.ts';

/** What a search cursor is bound to. The page's size may change on the way. */
export interface SearchBinding {
  readonly query: string;
  readonly jurisdictionSlug: string | null;
  readonly topicSlug: string | null;
  readonly fromDate: string | null;
  readonly toDate: string | null;
}

/** The last item on the page before, by the order of the search that found it. */
export interface SearchCursor {
  /** Number of words that an item may lack, as decided by the first page for all pages. */
  readonly missing: number;
  readonly rank: number;
  /** Milliseconds since the epoch. */
  readonly startsAt: number;
  readonly itemId: string;
}

/** The cursor does not decode or belongs to another search; the tools answer `invalid_cursor`. */
export class InvalidSearchCursor extends Error {
  override readonly name = 'InvalidSearchCursor';
  readonly code = 'invalid_cursor';
}

const BINDING_BYTES = 16;
const [AT_MISSING, AT_RANK, AT_TIME] = [BINDING_BYTES, BINDING_BYTES + 1, BINDING_BYTES + 5];
const AT_ITEM = AT_TIME + TIME_BYTES;
const PAYLOAD_BYTES = AT_ITEM + UUID_BYTES;

const digestOf = ({ query, jurisdictionSlug, topicSlug, fromDate, toDate }: SearchBinding): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([query, jurisdictionSlug, topicSlug, fromDate, toDate]))
    .digest()
    .subarray(0, BINDING_BYTES);

export function encodeSearchCursor(binding: SearchBinding, { missing, rank, startsAt, itemId }: SearchCursor): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  digestOf(binding).copy(payload);
  payload.writeUInt8(missing, AT_MISSING);
  payload.writeInt32BE(rank, AT_RANK);
  payload.writeBigInt64BE(BigInt(startsAt), AT_TIME);
  uuidBytes(itemId).copy(payload, AT_ITEM);
  return cursorText('search', payload);
}

/** Throws `InvalidSearchCursor` for what does not decode, is of another kind or was minted for another query or other filters. */
export function decodeSearchCursor(binding: SearchBinding, text: string): SearchCursor {
  const payload = cursorPayload('search', text, MAX_CURSOR_LENGTH);
  if (payload === 'other kind') throw new InvalidSearchCursor('the cursor is of another kind than that of the search');
  if (payload === 'damaged' || payload.length !== PAYLOAD_BYTES) throw new InvalidSearchCursor('the cursor does not decode');
  const startsAt = readTime(payload, AT_TIME);
  if (startsAt === undefined) throw new InvalidSearchCursor('the cursor does not decode');
  if (payload.compare(digestOf(binding), 0, BINDING_BYTES, 0, BINDING_BYTES) !== 0) {
    throw new InvalidSearchCursor('the cursor is of another query or of other filters');
  }
  const [missing, rank] = [payload.readUInt8(AT_MISSING), payload.readInt32BE(AT_RANK)];
  return { missing, rank, startsAt, itemId: uuidText(payload, AT_ITEM) };
}
