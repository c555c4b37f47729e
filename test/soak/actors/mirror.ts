import { canonicalJson } from '../../../domain/digests.ts';
import { RESOURCES } from '../../../domain/records/resources.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type Customer, Over } from '../customer.ts';
import { positionOfCursor } from '../positions.ts';
import { type Content, digestsOf, type PublishedFeed, type WireItem } from '../published-feed.ts';
import type { World } from '../world.ts';

interface Page {
  readonly data: { readonly items: readonly WireItem[] };
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

interface Stored {
  readonly state: Map<string, Content>;
  readonly cursor: string | null;
}

const IDLE_MS = 400;
/** Number of kills with an unstored page, and of losses of its store. */
const KILLED = 0.03;
const EMPTIED = 0.002;

/** A customer's copy of all resources or of one. It stores the last complete page with its cursor. */
export class Mirror {
  readonly name: string;
  readonly resource: string | null;
  pages = 0;
  kills = 0;
  anew = 0;
  #stored: Stored = { state: new Map(), cursor: null };
  readonly #published: PublishedFeed;
  readonly #random: SeededRandom;

  constructor(name: string, resource: string | null, published: PublishedFeed, random: SeededRandom) {
    this.name = name;
    this.resource = resource;
    this.#published = published;
    this.#random = random;
  }

  get position(): number {
    return this.#stored.cursor === null ? 0 : positionOfCursor(this.#stored.cursor);
  }

  digests(): Readonly<Record<string, string>> {
    return digestsOf(this.#stored.state);
  }

  /** Reads until the end of the soak; throws for an invalid answer. */
  async follow(customer: Customer): Promise<void> {
    for (;;) {
      if (this.#random.chance(EMPTIED)) {
        this.#stored = { state: new Map(), cursor: null };
        this.anew += 1;
      }
      // Half of them begin at a snapshot, the others at the oldest change.
      if (this.#stored.cursor === null && this.#random.chance(0.5)) await this.#copySnapshot(customer);
      if (!(await this.step(customer))) await customer.rest(this.#random.below(2 * IDLE_MS));
      else if (customer.over) throw new Over('over');
    }
  }

  /** Reads one page; true when there is more. */
  async step(customer: Customer): Promise<boolean> {
    const { cursor, state } = this.#stored;
    const from = this.position;
    const limit = this.#random.chance(0.3) ? 1 + this.#random.below(20) : 100 + this.#random.below(401);
    const query = new URLSearchParams({ limit: String(limit) });
    if (cursor !== null) query.set('cursor', cursor);
    if (this.resource !== null) query.set('resource', this.resource);
    const { text } = await customer.ask({
      operation: 'readCivicChanges',
      path: `/api/v1/data/changes?${query.toString()}`,
    });
    const { data, meta } = JSON.parse(text) as Page;
    const next = positionOfCursor(meta.nextCursor);
    let at = from;
    const changed: (readonly [string, Content | null])[] = [];
    for (const item of data.items) {
      const published = this.#published.see(item);
      this.#require(
        this.resource === null ? published.position === at + 1 : published.position > at,
        `position ${published.position} came after ${at}`,
      );
      this.#require(
        this.resource === null || published.resource === this.resource,
        `${published.resource} came through the filter`,
      );
      at = published.position;
      changed.push([published.key, published.content]);
    }
    this.#require(data.items.length <= limit, `${data.items.length} items came for ${limit}`);
    this.#require(
      next >= at && (this.resource !== null || next === at),
      `nextCursor is ${next} where the page ends at ${at}`,
    );
    this.#require(
      !meta.hasMore || (data.items.length > 0 && next === at),
      `hasMore at ${next} of a page that ends at ${at}`,
    );
    this.pages += 1;
    if (this.#random.chance(KILLED)) {
      this.kills += 1;
      return true;
    }
    for (const [key, content] of changed) {
      if (content === null) this.#require(state.delete(key), `${key} was removed and was not there`);
      else state.set(key, content);
    }
    this.#stored = { state, cursor: meta.nextCursor };
    return meta.hasMore;
  }

  async #copySnapshot(customer: Customer): Promise<void> {
    const { data } = JSON.parse(
      (await customer.ask({ operation: 'createCivicSnapshot', path: '/api/v1/data/snapshots' })).text,
    ) as {
      data: { snapshotId: string; boundaryCursor: string };
    };
    const state = new Map<string, Content>();
    for (const resource of this.resource === null ? RESOURCES : [this.resource]) {
      for (let cursor: string | null = null, more = true; more; ) {
        const path = `/api/v1/data/snapshots/${data.snapshotId}/${resource}?limit=500${cursor === null ? '' : `&cursor=${cursor}`}`;
        const page = JSON.parse((await customer.ask({ operation: 'readCivicSnapshotPage', path })).text) as {
          data: { items: { id: string }[] };
          meta: { nextCursor: string | null; hasMore: boolean };
        };
        for (const item of page.data.items)
          state.set(`${resource} ${item.id}`, { resource, id: item.id, canonical: canonicalJson(item) });
        ({ nextCursor: cursor, hasMore: more } = page.meta);
      }
    }
    this.#stored = { state, cursor: data.boundaryCursor };
  }

  #require(holds: boolean, what: string): void {
    if (!holds) throw new Error(`${this.name}: ${what}`);
  }
}

/** The number in the plan: two of three copy everything, the others one resource each. */
export const makeMirrors = ({ plan, published }: World, randomOf: (name: string) => SeededRandom): readonly Mirror[] =>
  Array.from({ length: plan.mirrors }, (_, at) => {
    const name = `mirror-${at + 1}`;
    const resource = at % 3 < 2 ? null : RESOURCES[Math.floor(at / 3) % RESOURCES.length]!;
    return new Mirror(name, resource, published, randomOf(name));
  });
