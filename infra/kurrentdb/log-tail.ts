import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Backoff } from '../../domain/retry.ts';
import type { LogBatch, Position, ReadAll, StoredEvent } from '../../domain/ports/event-log.ts';
import { systemClock } from '../system/clock.ts';
import { type FollowedReads, pickEvents } from '../system/log-subscription.ts';
import { toEvent } from './event-form.ts';
import { readAnswers } from './log-reads.ts';
import { isNoPlace } from './wire-errors.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Limits of the window; characters are those of the data of all its events. */
const MAX_EVENTS = 20_000;
const MAX_CHARACTERS = 32_000_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
const GATHER_MS = 5;
/** Made once: an abort without a reason makes an error with a stack. */
const GROWN = new Error('the log has grown');

interface Place {
  readonly position: Position;
  /** Undefined where it is not known. */
  readonly id: string | undefined;
}

const placeOf = ({ position, id }: StoredEvent): Place => ({ position, id });

/** The newest events of the log, in order and without gaps from a place on. */
class TailWindow {
  #events: StoredEvent[] = [];
  #characters = 0;
  #from: Place;

  constructor(from: Place) {
    this.#from = from;
  }

  get end(): Place {
    const last = this.#events.at(-1);
    return last === undefined ? this.#from : placeOf(last);
  }

  /** Adds the next event. Over a limit, drops the older half, so that drops are rare. */
  add(event: StoredEvent): void {
    if (event.position <= this.end.position) return;
    this.#events.push(event);
    this.#characters += event.data.length;
    while (this.#events.length > MAX_EVENTS || this.#characters > MAX_CHARACTERS) {
      const dropped = this.#events.splice(0, Math.ceil(this.#events.length / 2));
      for (const { data } of dropped) this.#characters -= data.length;
      this.#from = placeOf(dropped.at(-1)!);
    }
  }

  /** Null where events after this position are missing, and where the reader has read another event there. */
  pick(read: ReadAll): LogBatch | null {
    if (read.after < this.#from.position) return null;
    const next = this.#events.findLastIndex(({ position }) => position <= read.after) + 1;
    const held = next === 0 ? this.#from : placeOf(this.#events[next - 1]!);
    const isOther = read.afterId !== undefined && held.id !== undefined && held.id !== read.afterId;
    if (held.position !== read.after || isOther) return null;
    const { events, scannedTo, scannedId, isCut } = pickEvents(this.#events.slice(next), { ...read, afterId: read.afterId ?? held.id });
    return { events, scannedTo, scannedId, isCut };
  }
}

/**
 * One subscription to `$all` for all followers, from when the first one reaches the head. After a loss it continues from the last event,
 * with growing pauses. A slow follower costs no memory: it reads from the store. `idAt` resolves to the id of the event at a position.
 */
export function openLogTail(wire: Wire, pollMs: number, idAt: (position: Position) => Promise<string | undefined>) {
  let grown = new AbortController();
  const closing = new AbortController();
  let window: TailWindow | undefined;
  let current: Cancellable | undefined;
  const running = new Set<Promise<void>>();

  const wakeAll = (): void => {
    grown.abort(GROWN);
    grown = new AbortController();
  };
  let isWaking = false;
  /** Events arrive in runs: the followers are woken once for those of a few milliseconds. */
  const wakeSoon = (): void => {
    if (isWaking) return;
    isWaking = true;
    setTimeout(() => {
      isWaking = false;
      wakeAll();
    }, GATHER_MS);
  };

  /** Followers read from the store from here on, which compares the event that each has read last. */
  const forget = (): void => {
    window = undefined;
    current?.cancel();
    wakeAll();
  };

  /** True for a log without the last event here: it was set back, as by a failover. The server continues with what was written since. */
  const isSetBack = async ({ end: { position, id } }: TailWindow): Promise<boolean> => id !== undefined && (await idAt(position)) !== id;

  const run = async (into: TailWindow): Promise<void> => {
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    const isForgotten = (): boolean => window !== into;
    const follow = async (): Promise<void> => {
      /** Received since the subscription stands, and while it is not known whether they continue the window; null from then on. */
      let early: StoredEvent[] | null = [];
      let own: Cancellable | undefined;
      let isOver = false;
      const take = (event: StoredEvent): void => {
        into.add(event);
        wakeSoon();
      };
      const check = async (): Promise<void> => {
        const setBack = await isSetBack(into);
        // What it has received comes again with the next subscription.
        if (isForgotten() || isOver) return;
        if (setBack) return forget();
        for (const event of early ?? []) take(event);
        early = null;
        backoff.reset();
      };
      const receive = (answer: ReadResp): 'more' | 'too much' => {
        if (isForgotten()) return 'too much';
        // A check that fails is made again with the next subscription.
        if (answer.hasConfirmation()) check().catch(() => own?.cancel());
        const recorded = answer.getEvent()?.getEvent();
        if (recorded === undefined) return 'more';
        if (early === null) take(toEvent(recorded));
        else early.push(toEvent(recorded));
        return 'more';
      };
      const reading = { from: into.end.position, count: 'all that follow' } as const;
      const failure = await readAnswers(wire, null, reading, receive, (call) => (current = own = call)).catch((error: unknown) => error);
      isOver = true;
      // Followers read the event that is refused from the store, or are not told that their place is lost: the next subscription fails too.
      const failsAgain = isNoPlace(failure) ? into.end.id === undefined : failure instanceof Error && !('code' in failure);
      if (failsAgain) await systemClock.sleep(pollMs, closing.signal).catch(() => undefined);
      if (isNoPlace(failure) && !isForgotten()) forget();
    };
    while (!wire.closed && !isForgotten()) {
      await follow();
      await systemClock.sleep(backoff.take(), closing.signal).catch(() => undefined);
    }
  };

  /** Resolves to true when the interval passed without an event. */
  const wait = async (place: Place, signal: AbortSignal): Promise<boolean> => {
    if (window === undefined && !wire.closed) {
      window = new TailWindow(place);
      const ended = run(window).finally(() => running.delete(ended));
      running.add(ended);
    }
    if (signal.aborted || window === undefined || window.end.position > place.position) return false;
    const over = AbortSignal.any([signal, grown.signal]);
    return await systemClock.sleep(pollMs, over).then(
      () => true,
      () => false,
    );
  };

  return {
    forget,
    /** Reads from the tail, else from the store. The tail subscribes again where the store has events that it did not receive. */
    follow(readAll: (read: ReadAll) => Promise<LogBatch>): FollowedReads {
      let silent = false;
      return {
        async read(question) {
          const asked = window;
          const end = asked?.end.position ?? question.after;
          const recent = asked?.pick(question);
          if (recent && recent.scannedTo > question.after) {
            silent = false;
            return recent;
          }
          const batch = await readAll(question);
          if (batch.scannedTo === question.after) {
            // The store has nothing new, and the window has what the store does not have.
            if (recent === null && end > question.after && asked === window) forget();
            return batch;
          }
          if (silent && window !== undefined && window.end.position < batch.scannedTo) current?.cancel();
          silent = false;
          return batch;
        },
        async untilGrown({ after, afterId }, signal) {
          silent = await wait({ position: after, id: afterId }, signal);
        },
      };
    },
    async close(): Promise<void> {
      wakeAll();
      closing.abort();
      await Promise.all(running);
    },
  };
}
