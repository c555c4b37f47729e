import { setTimeout as after } from 'node:timers/promises';
import type { RecordChange } from '../../../commands/records/write-records.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../../domain/ports/database.ts';
import { LogUnavailable, OutcomeUnknown } from '../../../domain/ports/event-log.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { SOAK_MEETING } from '../first-records.ts';
import type { World } from '../world.ts';

const OWN_IDS = 60;
const SHARED_IDS = 20;
const MAX_CHANGES = 25;
const PAUSE_MS = 700;
const RESOURCES = ['documents', 'stream_records', 'agenda_items'] as const;

interface Change {
  readonly change: RecordChange;
  readonly key: string;
  readonly own: boolean;
  /** Unique content; null for a remove. */
  readonly token: string | null;
}

/** Writes batches through the record writer and records the result of each change. */
export class DirectWriter {
  /** Tokens of changes that were acknowledged as appended: each is in the feed exactly once. */
  readonly appended: string[] = [];
  /** Tokens of batches with an unknown outcome: each is in the feed at most once. */
  readonly uncertain = new Set<string>();
  /**
   * Expected content of the records that only this writer changes: the token, or null. Excludes records of an uncertain
   * batch.
   */
  readonly own = new Map<string, string | null>();
  batches = 0;
  readonly #name: string;
  readonly #world: World;
  readonly #random: SeededRandom;

  constructor(world: World, name: string, random: SeededRandom) {
    this.#world = world;
    this.#name = name;
    this.#random = random;
  }

  async work(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#writeOne();
      await after(this.#random.below(2 * PAUSE_MS), undefined, { signal: over }).catch(() => undefined);
    }
  }

  async #writeOne(): Promise<void> {
    const { log, failures, disturbances } = this.#world;
    const batch = this.#makeBatch();
    const from = performance.now();
    try {
      const outcomes = await log.writer.write(
        batch.map(({ change }) => change),
        {},
      );
      for (const [index, { kind, ...rest }] of outcomes.entries()) {
        const { token, key, own } = batch[index]!;
        if (kind === 'rejected') failures.add(`${this.#name}: ${key} was rejected: ${JSON.stringify(rest)}`);
        if (kind === 'unchanged' && token !== null)
          failures.add(`${this.#name}: ${key} with the new content ${token} was unchanged`);
        if (kind === 'appended' && token !== null) this.appended.push(token);
        if (own) this.own.set(key, token);
      }
    } catch (error) {
      const isExpected = [LogUnavailable, OutcomeUnknown, DatabaseUnavailable, DeadlineExceeded].some(
        (kind) => error instanceof kind,
      );
      const excused = disturbances.during(from, performance.now());
      if (!isExpected || !excused) failures.add(`${this.#name}: a batch failed with ${String(error)}`);
      for (const { token, key } of batch) {
        if (token !== null) this.uncertain.add(token);
        this.own.delete(key);
      }
    }
    this.batches += 1;
  }

  #makeBatch(): readonly Change[] {
    const random = this.#random;
    const inBatch = new Set<string>();
    return Array.from({ length: 1 + random.below(MAX_CHANGES) }, (_, line): Change | null => {
      const own = random.chance(0.7);
      const resource = RESOURCES[random.below(RESOURCES.length)]!;
      const id = own
        ? derivedId('soak', this.#name, random.below(OWN_IDS))
        : derivedId('soak', 'shared', random.below(SHARED_IDS));
      const key = `${resource} ${id}`;
      // One change per record in a batch, so that the result of the change is the state of the record.
      if (inBatch.has(key)) return null;
      inBatch.add(key);
      if (random.chance(0.2)) return { change: { op: 'remove', resource, id, reason: null }, key, own, token: null };
      const token = `${this.#name}.${this.batches}.${line}`;
      return { change: { op: 'upsert', resource, id, content: contentOf(resource, id, token) }, key, own, token };
    }).filter((change) => change !== null);
  }
}

function contentOf(resource: (typeof RESOURCES)[number], id: string, token: string): object {
  const url = 'https://records.example.org/permits';
  if (resource === 'documents') return { kind: 'agenda', title: token, url };
  if (resource === 'agenda_items') {
    return { meetingId: SOAK_MEETING, sequence: 7, title: `Rezoning of two acres to retail ${token}`, sourceUrl: url };
  }
  return {
    recordStreamId: derivedId('soak', 'stream'),
    sourceRecordId: id,
    title: token,
    sourceUrl: url,
    attributes: { token },
  };
}
