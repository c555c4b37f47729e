import { readSnapshot, type SnapshotCopy } from '../../support/feed-mirror.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Customer } from '../customer.ts';
import { digestsOf } from '../published-feed.ts';
import type { World } from '../world.ts';

const PAUSE_MS = 3_000;

/** Takes snapshots and compares each with the feed up to its boundary, once a reader has read that part. */
export class SnapshotTaker {
  taken = 0;
  compared = 0;
  readonly #world: World;
  readonly #random: SeededRandom;
  #waiting: SnapshotCopy[] = [];

  constructor(world: World, random: SeededRandom) {
    this.#world = world;
    this.#random = random;
  }

  async work(customer: Customer): Promise<void> {
    for (;;) {
      await customer.rest(this.#random.below(2 * PAUSE_MS));
      const copy = await readSnapshot(
        async (path, { method } = {}) => {
          const operation = method === 'POST' ? 'createCivicSnapshot' : 'readCivicSnapshotPage';
          const { status, text } = await customer.ask({ operation, path });
          return new Response(text, { status });
        },
        () => 1 + this.#random.below(500),
      );
      this.taken += 1;
      this.#waiting.push(copy);
      this.compare();
    }
  }

  /** Checks those whose boundary has been reached; returns how many still wait. */
  compare(): number {
    const { published, failures } = this.#world;
    const { whole } = published;
    const ready = this.#waiting.filter(({ position }) => position <= whole);
    this.#waiting = this.#waiting.filter(({ position }) => position > whole);
    for (const { position, records, digests } of ready) {
      const state = published.stateAt(position);
      const different = [...new Set([...state.keys(), ...records.keys()])].filter(
        (key) => state.get(key)?.canonical !== records.get(key),
      );
      if (different.length > 0)
        failures.add(`the snapshot at ${position} differs from the feed in ${different.slice(0, 3).join(', ')}`);
      if (JSON.stringify(digestsOf(state)) !== JSON.stringify(digests))
        failures.add(`the snapshot at ${position} has other digests`);
      this.compared += 1;
    }
    return this.#waiting.length;
  }
}
