import { RESOURCES } from '../../../domain/records/resources.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type Customer, Over } from '../customer.ts';
import { positionOfCursor } from '../positions.ts';
import type { WireItem } from '../published-feed.ts';
import type { World } from '../world.ts';

const PAUSE_MS = 600;
const FEEDS = 3;

/** Creates feed subscriptions and polls them; sometimes revokes one and creates another. */
export class Poller {
  polls = 0;
  created = 0;
  revoked = 0;
  readonly #name: string;
  readonly #world: World;
  readonly #random: SeededRandom;

  constructor(world: World, name: string, random: SeededRandom) {
    this.#world = world;
    this.#name = name;
    this.#random = random;
  }

  async work(customer: Customer): Promise<void> {
    const feeds: { id: string; name: string; resource: string | null; cursor: string }[] = [];
    for (let count = 0; ; ) {
      if (feeds.length < FEEDS) {
        const resource = this.#random.chance(0.5) ? null : RESOURCES[this.#random.below(RESOURCES.length)]!;
        const name = `${this.#name} ${(count += 1)}`;
        const { text } = await customer.ask(creation(name, resource));
        const { data } = JSON.parse(text) as { data: { id: string; startCursor: string; name: string } };
        if (data.name !== name) this.#world.failures.add(`the subscription ${name} is called ${data.name}`);
        feeds.push({ id: data.id, name, resource, cursor: data.startCursor });
        this.created += 1;
      }
      const feed = feeds[this.#random.below(feeds.length)]!;
      const path = `/api/v1/data/subscriptions/${feed.id}`;
      if (this.#random.chance(0.03)) {
        await customer.ask({ operation: 'revokeFeedSubscription', path });
        feeds.splice(feeds.indexOf(feed), 1);
        this.revoked += 1;
      } else {
        const question = `?limit=${1 + this.#random.below(500)}&cursor=${feed.cursor}`;
        const { text } = await customer.ask({
          operation: 'readFeedSubscriptionChanges',
          path: `${path}/changes${question}`,
        });
        feed.cursor = this.#look(feed, text);
        this.polls += 1;
      }
      await customer.rest(this.#random.below(2 * PAUSE_MS));
    }
  }

  /** Checks that every item equals that of other readers at its position, and that none is skipped. */
  #look({ name, resource, cursor }: { name: string; resource: string | null; cursor: string }, text: string): string {
    const { data, meta } = JSON.parse(text) as { data: { items: WireItem[] }; meta: { nextCursor: string } };
    let at = positionOfCursor(cursor);
    for (const item of data.items) {
      const { position } = this.#world.published.see(item);
      const good = resource === null ? position === at + 1 : position > at && item.resource === resource;
      if (!good) {
        this.#world.failures.add(`${name}: ${item.resource} at position ${position} came after ${at}`);
        throw new Over('wrong');
      }
      at = position;
    }
    return meta.nextCursor;
  }
}

/** It might exist after a lost answer: the same name and filter find it. */
const creation = (name: string, resource: string | null) => ({
  operation: 'createFeedSubscription' as const,
  path: '/api/v1/data/subscriptions',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name, resource }),
});
