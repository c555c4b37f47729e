import { hash } from 'node:crypto';
import { cursorCodec, hexadecimal, time, uuid } from './cursor.ts';

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

const digestOf = ({ query, jurisdictionSlug, topicSlug, fromDate, toDate }: SearchBinding): string =>
  hash('sha256', JSON.stringify([query, jurisdictionSlug, topicSlug, fromDate, toDate])).slice(0, 2 * BINDING_BYTES);

const codec = cursorCodec<SearchCursor & { readonly binding: string }>('search', {
  binding: hexadecimal(BINDING_BYTES),
  missing: { bytes: 1, write: (payload, value, at) => payload.writeUInt8(value, at), read: (payload, at) => payload.readUInt8(at) },
  rank: { bytes: 4, write: (payload, value, at) => payload.writeInt32BE(value, at), read: (payload, at) => payload.readInt32BE(at) },
  startsAt: time,
  itemId: uuid,
});

export const encodeSearchCursor = (binding: SearchBinding, cursor: SearchCursor): string =>
  codec.encode({ ...cursor, binding: digestOf(binding) });

/** Throws `InvalidSearchCursor` for what does not decode, is of another kind or was minted for another query or other filters. */
export function decodeSearchCursor(expected: SearchBinding, text: string): SearchCursor {
  const decoded = codec.decode(text);
  if (decoded === 'other kind') throw new InvalidSearchCursor('the cursor is of another kind than that of the search');
  if (decoded === 'damaged') throw new InvalidSearchCursor('the cursor does not decode');
  const { binding, ...cursor } = decoded;
  if (binding !== digestOf(expected)) throw new InvalidSearchCursor('the cursor is of another query or of other filters');
  return cursor;
}
