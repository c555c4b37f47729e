import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Backoff } from '../../plumbing/retry.ts';
import type { LogBatch, Position, ReadAll, StoredEvent } from '../../domain/ports/event-log.ts';
import { systemClock } from '../system/clock.ts';
import { type FollowedReads, pickEvents } from '../system/log-subscription.ts';
import { toEvent } from './event-form.ts';
import { readAnswers } from './log-reads.ts';
import { isNoPlace } from './wire-errors.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Limits of the window: number of events, and characters in the data of all events. */
const MAX_EVENTS = 20_000;
const MAX_CHARACTERS = 32_000_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
const GATHER_MS = 5;
/** Abort reason. Shared, because an abort without a reason creates an error with a stack trace. */
const GROWN = new Error('the log has grown');

interface Place {
  readonly position: Position;
  /** Id of the event at this position; undefined if it is unknown. */
  readonly id: string | undefined;
}

const placeOf = ({ position, id }: StoredEvent): Place => ({ position, id });

/** The newest events of the log after a place, in order and without gaps. */
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

  /** Adds the next event. Beyond a limit, drops the older half, so that drops are rare. */
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

  /**
   * Returns the events after a position, or null if some are missing or the reader has read a different event there.
   */
  pick(read: ReadAll): LogBatch | null {
    if (read.after < this.#from.position) return null;
    const next = this.#events.findLastIndex(({ position }) => position <= read.after) + 1;
    const before = next === 0 ? this.#from : placeOf(this.#events[next - 1]!);
    const isOther = read.afterId !== undefined && before.id !== undefined && before.id !== read.afterId;
    if (before.position !== read.after || isOther) return null;
    const { events, scannedTo, scannedId, isCut } = pickEvents(this.#events.slice(next), {
      ...read,
      afterId: read.afterId ?? before.id,
    });
    return { events, scannedTo, scannedId, isCut };
  }
}

/** Wakes the followers that wait for an event. */
class Alarm {
  #grown = new AbortController();
  #isWaking = false;

  get signal(): AbortSignal {
    return this.#grown.signal;
  }

  wake(): void {
    this.#grown.abort(GROWN);
    this.#grown = new AbortController();
  }

  /** Wakes after a few milliseconds, so that a burst of events wakes once. */
  wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setTimeout(() => {
      this.#isWaking = false;
      this.wake();
    }, GATHER_MS);
  }
}

interface Subscribed {
  readonly window: TailWindow;
  /** False once the window is dropped. */
  readonly isInUse: () => boolean;
  /** True if the log no longer has the last event of the window, for example after a failover. */
  readonly isSetBack: () => Promise<boolean>;
  readonly drop: () => void;
  /** Called when the events are known to continue the window. */
  readonly onContinued: () => void;
  readonly add: (event: StoredEvent) => void;
}

/**
 * One subscription from the end of a window. States:
 *
 * - early: events wait until a check shows that they continue the window.
 * - continued: events go into the window.
 * - over: the call has ended. The next subscription delivers the events that wait.
 */
class TailCall {
  #early: StoredEvent[] | null = [];
  #call: Cancellable | undefined;
  #isOver = false;
  readonly #to: Subscribed;

  constructor(to: Subscribed) {
    this.#to = to;
  }

  cancel(): void {
    this.#call?.cancel();
  }

  /** Resolves to the error that ended the call; undefined without one. */
  async run(wire: Wire): Promise<unknown> {
    const reading = { from: this.#to.window.end.position, count: 'all that follow' } as const;
    try {
      await readAnswers(wire, null, reading, this.#receive, (call) => (this.#call = call));
      return undefined;
    } catch (error) {
      return error;
    } finally {
      this.#isOver = true;
    }
  }

  readonly #receive = (answer: ReadResp): 'more' | 'too much' => {
    if (!this.#to.isInUse()) return 'too much';
    // After a failed check, resubscribe and check again.
    if (answer.hasConfirmation()) this.#check().catch(() => this.cancel());
    const recorded = answer.getEvent()?.getEvent();
    if (recorded === undefined) return 'more';
    if (this.#early === null) this.#to.add(toEvent(recorded));
    else this.#early.push(toEvent(recorded));
    return 'more';
  };

  async #check(): Promise<void> {
    const isSetBack = await this.#to.isSetBack();
    if (!this.#to.isInUse() || this.#isOver) return;
    if (isSetBack) return this.#to.drop();
    for (const event of this.#early ?? []) this.#to.add(event);
    this.#early = null;
    this.#to.onContinued();
  }
}

/**
 * Subscribes to `$all` once for all followers, as soon as the first one reaches the head. After a loss it resubscribes
 * from the last event, with growing pauses. A slow follower uses no memory, because it reads from the store. `idAt`
 * resolves to the id of the event at a position.
 */
export class LogTail {
  readonly #wire: Wire;
  readonly #pollMs: number;
  readonly #idAt: (position: Position) => Promise<string | undefined>;
  readonly #alarm = new Alarm();
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #window: TailWindow | undefined;
  #current: TailCall | undefined;

  constructor(wire: Wire, pollMs: number, idAt: (position: Position) => Promise<string | undefined>) {
    this.#wire = wire;
    this.#pollMs = pollMs;
    this.#idAt = idAt;
  }

  /** Drops the window. Followers then read from the store, which compares the last event that each of them has read. */
  forget(): void {
    this.#window = undefined;
    this.#current?.cancel();
    this.#alarm.wake();
  }

  /** Reads from the window, else from the store. Resubscribes if the store has events that the subscription missed. */
  follow(readAll: (read: ReadAll) => Promise<LogBatch>): FollowedReads {
    let isSilent = false;
    return {
      read: async (question) => {
        const wasSilent = isSilent;
        const recent = this.#window?.pick(question);
        if (recent && recent.scannedTo > question.after) {
          isSilent = false;
          return recent;
        }
        const batch = await this.#readStore(readAll, question, { wasMissing: recent === null, wasSilent });
        if (batch.scannedTo !== question.after) isSilent = false;
        return batch;
      },
      untilGrown: async ({ after, afterId }, signal) => {
        isSilent = await this.#wait({ position: after, id: afterId }, signal);
      },
    };
  }

  async close(): Promise<void> {
    this.#alarm.wake();
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  async #readStore(
    readAll: (read: ReadAll) => Promise<LogBatch>,
    question: ReadAll,
    { wasMissing, wasSilent }: { readonly wasMissing: boolean; readonly wasSilent: boolean },
  ): Promise<LogBatch> {
    const window = this.#window;
    const end = window?.end.position ?? question.after;
    const batch = await readAll(question);
    if (batch.scannedTo === question.after) {
      // The window has events that the store does not have.
      if (wasMissing && end > question.after && window === this.#window) this.forget();
    } else if (wasSilent && this.#window !== undefined && this.#window.end.position < batch.scannedTo) {
      this.#current?.cancel();
    }
    return batch;
  }

  /** Waits for an event. Resolves to true if the poll interval passes without one. */
  async #wait(place: Place, signal: AbortSignal): Promise<boolean> {
    if (this.#window === undefined && !this.#wire.closed) this.#begin(place);
    const window = this.#window;
    if (signal.aborted || window === undefined || window.end.position > place.position) return false;
    const over = AbortSignal.any([signal, this.#alarm.signal]);
    return await systemClock.sleep(this.#pollMs, over).then(
      () => true,
      () => false,
    );
  }

  #begin(place: Place): void {
    this.#window = new TailWindow(place);
    const ended = this.#fill(this.#window).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  async #fill(window: TailWindow): Promise<void> {
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    const isInUse = (): boolean => this.#window === window;
    const subscribed: Subscribed = {
      window,
      isInUse,
      isSetBack: () => this.#isSetBack(window.end),
      drop: () => this.forget(),
      onContinued: () => backoff.reset(),
      add: (event) => {
        window.add(event);
        this.#alarm.wakeSoon();
      },
    };
    while (!this.#wire.closed && isInUse()) {
      const call = new TailCall(subscribed);
      this.#current = call;
      const failure = await call.run(this.#wire);
      if (willFailAgain(failure, window.end)) await this.#sleep(this.#pollMs);
      if (isNoPlace(failure) && isInUse()) this.forget();
      await this.#sleep(backoff.take());
    }
  }

  async #isSetBack({ position, id }: Place): Promise<boolean> {
    return id !== undefined && (await this.#idAt(position)) !== id;
  }

  async #sleep(milliseconds: number): Promise<void> {
    await systemClock.sleep(milliseconds, this.#closing.signal).catch(() => undefined);
  }
}

/** True for a lost position without an id to check, and for an event that cannot be read. */
const willFailAgain = (failure: unknown, end: Place): boolean =>
  isNoPlace(failure) ? end.id === undefined : failure instanceof Error && !('code' in failure);
