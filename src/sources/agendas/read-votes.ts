import { DAY_MS, HOUR_MS } from '../../../domain/durations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { type AgendaReader, SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { ItemRows } from './item-rows.ts';
import { STAMP_LOOK_BACK } from './poll-window.ts';
import type { EventItemRow, Skipped } from './rows.ts';
import { utcStamp } from './values.ts';
import { hasSummary, isVotedOn, mapMembers, type Votes, votesOf } from './votes.ts';

/** Maximum items of one event whose votes a run reads. */
const MAX_ITEMS = 300;
/** Number of failures after which a run reads no further votes. */
const MAX_FAILURES = 3;
const MAX_REMEMBERED = 100_000;

interface PastRead {
  /** Milliseconds. */
  readonly at: number;
  readonly failure: string | null;
  /** True if the item was published: a row that is not on the agenda can have votes, too. */
  readonly isWritten: boolean;
}

/**
 * The reads of this process. An unchanged item is read again after a day, or after an hour where the read failed. It
 * stores no votes: the published votes of an item that is not read again stay.
 */
export class VotesMemory {
  readonly #reads = new Map<string, PastRead>();

  /** Returns undefined if the item must be read. */
  recent(key: string, now: number): PastRead | undefined {
    const past = this.#reads.get(key);
    return past !== undefined && now - past.at < (past.failure === null ? DAY_MS : HOUR_MS) ? past : undefined;
  }

  add(key: string, read: PastRead): void {
    if (this.#reads.size >= MAX_REMEMBERED) this.#reads.clear();
    this.#reads.set(key, read);
  }
}

type PublishedItem = RecordData<'agenda_items'>;

interface ReadItem {
  /** The rows of the item on which there was a vote. */
  readonly voted: readonly EventItemRow[];
  readonly item: PublishedItem | undefined;
  readonly lastSuccess: number | null;
}

/** A read of this run, for the item with the id of its head row. */
type NewRead = Omit<PastRead, 'isWritten'> & { readonly eventItemId: number };

interface ReadVotes {
  readonly votes: Votes | undefined;
  readonly skipped: readonly Skipped[];
  readonly failure: string | null;
}

interface EventToRead {
  readonly items: readonly ItemRows[];
  /** Returns the published item by the id of its head row; undefined if it is not published. */
  readonly published: (eventItemId: number) => PublishedItem | undefined;
  /** Last successful check of the source, milliseconds; null when there was none. */
  readonly lastSuccess: number | null;
}

export interface EventVotes {
  /** Votes by the id of the item's head row. */
  readonly votes: ReadonlyMap<number, Votes>;
  readonly skipped: readonly Skipped[];
  /** Reason why the votes on some items were not read; null if all were. */
  readonly failure: string | null;
  /** Call it once the items are written, so that the next runs do not read the votes again. The argument of `isWritten` is the id of the head row. */
  readonly remember: (isWritten: (eventItemId: number) => boolean) => void;
}

interface VotesReaderOptions {
  readonly reader: AgendaReader;
  readonly memory: VotesMemory;
  readonly client: string;
  readonly clock: Clock;
  /** True if unchanged items are read too. */
  readonly isForced: boolean;
}

/** Reads the votes by member of one run. If the votes on an item cannot be read, the published ones stay. */
export class VotesReader {
  readonly #options: VotesReaderOptions;
  #failures = 0;

  constructor(options: VotesReaderOptions) {
    this.#options = options;
  }

  async readVotes({ items, published, lastSuccess }: EventToRead): Promise<EventVotes> {
    const votes = new Map<number, Votes>();
    const skipped: Skipped[] = [];
    const failures: string[] = [];
    const reads = new Map<string, NewRead>();
    for (const { head, rows } of items) {
      const voted = rows.filter(isVotedOn);
      if (voted.length === 0) continue;
      const item = { voted, item: published(head.EventItemId), lastSuccess };
      const result = await this.#readItem(head.EventItemId, item, reads);
      for (const row of result.skipped) skipped.push(row);
      if (result.votes !== undefined) votes.set(head.EventItemId, result.votes);
      if (result.failure !== null) failures.push(result.failure);
    }
    const [reason] = failures;
    const failure =
      reason === undefined ? null : `the votes on ${failures.length} of its items could not be read: ${reason}`;
    return { votes, skipped, failure, remember: (isWritten) => this.#remember(reads, isWritten) };
  }

  /** Reads the votes on one item unless a past read is still valid or too many reads failed. Adds a read to `reads`. */
  async #readItem(eventItemId: number, item: ReadItem, reads: Map<string, NewRead>): Promise<ReadVotes> {
    const current = item.item?.votes;
    const key = this.#keyOf(item.voted);
    const past = this.#pastRead(key, item);
    const skipReason = past === undefined ? this.#reasonToSkip(reads.size) : past.failure;
    if (past !== undefined || skipReason !== null) return { votes: current, skipped: [], failure: skipReason };
    const result = await this.#read(item.voted);
    reads.set(key, { eventItemId, at: this.#options.clock.now(), failure: result.failure });
    return result.failure === null ? result : { ...result, votes: current };
  }

  #remember(reads: ReadonlyMap<string, NewRead>, isWritten: (eventItemId: number) => boolean): void {
    for (const [key, { eventItemId, ...read }] of reads)
      this.#options.memory.add(key, { ...read, isWritten: isWritten(eventItemId) });
  }

  /** Returns a key that changes with each row that was voted on, if the source stamps its rows. */
  #keyOf(voted: readonly EventItemRow[]): string {
    const stamps = voted.map((row) =>
      [row.EventItemId, row.EventItemLastModifiedUtc, row.EventItemRowVersion].join(' '),
    );
    return [this.#options.client, ...stamps].join('\n');
  }

  /** Returns the read after which the item has not changed; undefined if its votes must be read. */
  #pastRead(key: string, { voted, item, lastSuccess }: ReadItem): PastRead | undefined {
    const { memory, clock, isForced } = this.#options;
    if (isForced) return undefined;
    const past = memory.recent(key, clock.now());
    if (item === undefined) return past?.isWritten === false ? past : undefined;
    if (past?.failure != null) return past;
    if (!voted.some((row) => hasSummary(row, item.votes))) return undefined;
    if (past !== undefined || lastSuccess === null || (item.votes?.members ?? []).length === 0) return past;
    const isOld = ({ EventItemLastModifiedUtc }: EventItemRow): boolean => {
      const stamp = utcStamp(EventItemLastModifiedUtc);
      return stamp !== null && Date.parse(stamp) < lastSuccess - STAMP_LOOK_BACK;
    };
    return voted.every(isOld) ? { at: lastSuccess, failure: null, isWritten: true } : undefined;
  }

  #reasonToSkip(itemsRead: number): string | null {
    if (itemsRead >= MAX_ITEMS) return `only those of ${MAX_ITEMS} items are read at once`;
    return this.#failures >= MAX_FAILURES ? 'the source did not give those of other items' : null;
  }

  /** Returns the votes of the last action that has any. */
  async #read(voted: readonly EventItemRow[]): Promise<ReadVotes> {
    const skipped: Skipped[] = [];
    try {
      for (const row of voted.toReversed()) {
        const { members, skipped: skippedMembers } = mapMembers(
          row.EventItemId,
          (await this.#options.reader.votes?.(row.EventItemId)) ?? [],
        );
        skipped.push(...skippedMembers);
        const votes = votesOf(row, members);
        if (votes !== undefined) return { votes, skipped, failure: null };
      }
      return { votes: undefined, skipped, failure: null };
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      this.#failures += 1;
      return { votes: undefined, skipped, failure: error.message };
    }
  }
}
