import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Backoff } from '../../domain/retry.ts';
import type { LogBatch, Position, ReadAll, StoredEvent } from '../../domain/ports/event-log.ts';
import { systemClock } from '../system/clock.ts';
import { type FollowedReads, pickEvents } from '../system/log-subscription.ts';
import { toEvent, toPosition } from './event-form.ts';
import { readAnswers } from './log-reads.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Limits of the window; characters are those of the data of all its events. */
const MAX_EVENTS = 20_000;
const MAX_CHARACTERS = 32_000_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
const GATHER_MS = 5;
/** Made once: an abort without a reason makes an error with a stack. */
const GROWN = new Error('the log has grown');

/** The newest events of the log, in order and without gaps from a position on. */
class TailWindow {
  #events: StoredEvent[] = [];
  #characters = 0;
  #from: Position;

  constructor(from: Position) {
    this.#from = from;
  }

  get end(): Position {
    return this.#events.at(-1)?.position ?? this.#from;
  }

  /** Adds the next event. Over a limit, drops the older half, so that drops are rare. */
  add(event: StoredEvent): void {
    if (event.position <= this.end) return;
    this.#events.push(event);
    this.#characters += event.data.length;
    while (this.#events.length > MAX_EVENTS || this.#characters > MAX_CHARACTERS) {
      const dropped = this.#events.splice(0, Math.ceil(this.#events.length / 2));
      for (const { data } of dropped) this.#characters -= data.length;
      this.#from = dropped.at(-1)!.position;
    }
  }

  /** Null where events after this position are missing. */
  pick(read: ReadAll): LogBatch | null {
    if (read.after < this.#from) return null;
    const next = this.#events.findLastIndex(({ position }) => position <= read.after) + 1;
    const { events, scannedTo, isCut } = pickEvents(this.#events.slice(next), read);
    return { events, scannedTo, isCut };
  }
}

/**
 * One subscription to `$all` for all followers, from when the first one reaches the head. After a loss it continues from the last event or
 * checkpoint, with growing pauses. A slow follower costs no memory: it reads from the store.
 */
export function openLogTail(wire: Wire, pollMs: number) {
  let grown = new AbortController();
  const closing = new AbortController();
  let window: TailWindow | undefined;
  let current: Cancellable | undefined;
  let running: Promise<void> | undefined;

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

  /** Followers read an event that this refuses from the store, and report the error. */
  const run = async (into: TailWindow): Promise<void> => {
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    /** How far the server has scanned, its own events included. */
    let resumeAt = into.end;
    const receive = (answer: ReadResp): 'more' => {
      backoff.reset();
      const checkpoint = answer.getCheckpoint();
      if (checkpoint !== undefined) resumeAt = toPosition(checkpoint) ?? resumeAt;
      const recorded = answer.getEvent()?.getEvent();
      if (recorded !== undefined) {
        const event = toEvent(recorded);
        into.add(event);
        resumeAt = event.position;
        wakeSoon();
      }
      return 'more';
    };
    while (!wire.closed) {
      const reading = { from: resumeAt, count: 'all that follow' } as const;
      await readAnswers(wire, null, reading, receive, (call) => (current = call)).catch(() => undefined);
      await systemClock.sleep(backoff.take(), closing.signal).catch(() => undefined);
    }
  };

  /** Resolves to true when the interval passed without an event. */
  const wait = async (after: Position, signal: AbortSignal): Promise<boolean> => {
    if (window === undefined && !wire.closed) {
      window = new TailWindow(after);
      running = run(window);
    }
    if (signal.aborted || window === undefined || window.end > after) return false;
    const over = AbortSignal.any([signal, grown.signal]);
    return await systemClock.sleep(pollMs, over).then(
      () => true,
      () => false,
    );
  };

  return {
    /** Reads from the tail, else from the store. The tail subscribes again where the store has events that it did not receive. */
    follow(readAll: (read: ReadAll) => Promise<LogBatch>): FollowedReads {
      let silent = false;
      return {
        async read(question) {
          const recent = window?.pick(question);
          if (recent && recent.scannedTo > question.after) {
            silent = false;
            return recent;
          }
          const batch = await readAll(question);
          if (batch.scannedTo === question.after) return batch;
          if (silent && window !== undefined && window.end < batch.scannedTo) current?.cancel();
          silent = false;
          return batch;
        },
        async untilGrown(after, signal) {
          silent = await wait(after, signal);
        },
      };
    },
    async close(): Promise<void> {
      wakeAll();
      closing.abort();
      await running;
    },
  };
}
