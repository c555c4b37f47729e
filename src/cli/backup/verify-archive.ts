import { hash } from 'node:crypto';
import { FEED_OPENED, feedOpened, RESTORE_BEGUN } from '../../../domain/events/feed-events.ts';
import { requireReadable } from '../../../domain/events/read-any-event.ts';
import { category, FEED_STREAM } from '../../../domain/streams.ts';
import { type ArchiveEnd, type ArchiveHeader, BadArchive } from './archive-format.ts';
import { readArchive } from './read-archive.ts';
import type { CopiedEvent } from '../log-copy/copy-events.ts';

/** Collects the state that the added events of a restore depend on. */
class BackedUp {
  /** Account stream by key, for keys that are not revoked. */
  readonly keys = new Map<string, string>();
  /** Last revision by account stream. */
  readonly accounts = new Map<string, number>();
  feed = { revision: -1, feedId: '' };

  see({ stream, revision, type, data }: CopiedEvent): void {
    if (stream === FEED_STREAM) {
      this.feed = {
        revision,
        feedId: type === FEED_OPENED ? feedOpened.parse(JSON.parse(data)).feedId : this.feed.feedId,
      };
    }
    if (category(stream) !== 'account') return;
    this.accounts.set(stream, revision);
    if (type !== 'KeyIssued' && type !== 'KeyRevoked') return;
    const { keyId } = JSON.parse(data) as { readonly keyId: string };
    if (type === 'KeyIssued') this.keys.set(keyId, stream);
    else this.keys.delete(keyId);
  }
}

/** Last millisecond of the year 9999, the last one that every text of a time can contain. */
const MAX_TIME = Date.UTC(10_000, 0) - 1;

export interface VerifiedArchive {
  readonly header: ArchiveHeader;
  readonly end: ArchiveEnd;
  /** SHA-256 of the file without its seal. */
  readonly sha256: string;
  readonly streams: number;
  /** Milliseconds since the epoch; 0 without events. */
  readonly newestEventAt: number;
  readonly backedUp: BackedUp;
}

/** Reads a whole archive and checks chain, seals, dense revisions, unique ids, readable events and the first event. Throws `BadArchive`. */
export async function verifyArchive(file: AsyncIterable<Uint8Array>): Promise<VerifiedArchive> {
  const revisions = new SeenKeys();
  const ids = new SeenKeys();
  const backedUp = new BackedUp();
  let header: ArchiveHeader | undefined;
  let newestEventAt = 0;
  for await (const item of readArchive(file)) {
    if (item.kind === 'header') ({ header } = item);
    if (item.kind === 'end') {
      const { end, sha256 } = item;
      return { header: header!, end, sha256, streams: revisions.size, newestEventAt, backedUp };
    }
    if (item.kind === 'event') {
      const { event, number } = item;
      if (number === 1 && event.type !== FEED_OPENED && event.type !== RESTORE_BEGUN)
        throw bad(event, number, 'no log of this service begins so');
      if (event.time < 0 || event.time > MAX_TIME) throw bad(event, number, 'its time is before 1970 or after 9999');
      const before = revisions.put(event.stream, event.revision);
      if (before !== event.revision - 1) throw bad(event, number, `it follows revision ${before} of its stream`);
      if (ids.put(event.id, 0) >= 0) throw bad(event, number, 'an earlier event has its id');
      try {
        JSON.parse(event.metadata);
        requireReadable(event);
      } catch (error) {
        throw bad(
          event,
          number,
          `this version cannot read it: ${(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
        );
      }
      backedUp.see(event);
      newestEventAt = Math.max(newestEventAt, event.time);
    }
  }
  throw new BadArchive('the backup has no end');
}

const bad = ({ type, stream, revision }: CopiedEvent, number: number, reason: string): BadArchive =>
  new BadArchive(`event ${number} (${type}, revision ${revision} of ${stream}): ${reason}`);

const START = 1 << 16;
const FULL = 0.6;
const NOTHING = -1;

/** Maps texts to numbers in 30 bytes each. Compares 64 bits of a hash: among a billion texts, a confusion has a probability of 3 %. */
export class SeenKeys {
  #keys = new BigUint64Array(START);
  #values = new Int32Array(START).fill(NOTHING);
  size = 0;

  /** Sets the number of a text, at least 0; returns the former one, or -1. */
  put(text: string, value: number): number {
    if (this.size > FULL * this.#values.length) this.#grow();
    const before = this.#set(hash('sha256', text, 'buffer').readBigUInt64LE(), value);
    if (before === NOTHING) this.size += 1;
    return before;
  }

  #set(key: bigint, value: number): number {
    const mask = this.#values.length - 1;
    let at = Number(key & 0xffff_ffffn) & mask;
    while (this.#values[at] !== NOTHING && this.#keys[at] !== key) at = (at + 1) & mask;
    const before = this.#values[at]!;
    this.#keys[at] = key;
    this.#values[at] = value;
    return before;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new BigUint64Array(values.length * 2);
    this.#values = new Int32Array(values.length * 2).fill(NOTHING);
    for (const [at, value] of values.entries()) if (value !== NOTHING) this.#set(keys[at]!, value);
  }
}
