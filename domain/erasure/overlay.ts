import { contentErased, type ErasedText } from '../events/erasure-events.ts';
import type { StoredEvent } from '../ports/event-log.ts';
import { eraseFromEvent, erasuresOf } from './erase-from-event.ts';

interface Entry {
  readonly number: number;
  readonly texts: readonly ErasedText[];
  readonly replacements: readonly string[];
}

/** All erasures that were read so far, by the id of the event that they change. Erasures are added in their order. */
export class ErasureOverlay {
  readonly #entries = new Map<string, Entry[]>();
  #revision = -1;

  /** Revision of the last erasure that is known, -1 before the first. */
  get revision(): number {
    return this.#revision;
  }

  add(stored: Pick<StoredEvent, 'revision' | 'data'>): void {
    if (stored.revision <= this.#revision) return;
    const { replacements, streams } = contentErased.parse(JSON.parse(stored.data));
    for (const { id, texts } of streams.flatMap(({ events }) => events)) {
      const entry = { number: stored.revision + 1, texts, replacements };
      const known = this.#entries.get(id);
      if (known === undefined) this.#entries.set(id, [entry]);
      else known.push(entry);
    }
    this.#revision = stored.revision;
  }

  /** The event as it reads now: with every erasure that its data does not reflect yet. */
  apply(event: StoredEvent): StoredEvent {
    if (this.#entries.size === 0) return event;
    const entries = this.#entries.get(event.id);
    if (entries === undefined) return event;
    const done = erasuresOf(event.metadata);
    let erased = event;
    for (const { number, texts, replacements } of entries) {
      if (number > done) erased = eraseFromEvent(erased, texts, replacements, number);
    }
    return erased;
  }
}
