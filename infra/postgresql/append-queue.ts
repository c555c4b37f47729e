import { type AppendOutcome, LogUnavailable, OutcomeUnknown, type StreamAppend } from '../../domain/ports/event-log.ts';
import type { AppendLane } from './append-lane.ts';

interface Waiting {
  readonly appends: readonly StreamAppend[];
  /** A batch goes as a group of its own, whatever its size. */
  readonly batch: boolean;
  readonly resolve: (outcomes: readonly AppendOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

const GROUP_EVENTS = 200;
/** How far to look past appends whose stream is busy. */
const LOOK_AHEAD = 1_000;

/** Gathers the appends of many callers into groups that share a commit. Appends to one stream keep their order. */
export class AppendQueue {
  readonly #idle: AppendLane[];
  readonly #busyStreams = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;

  constructor(lanes: readonly AppendLane[]) {
    this.#idle = [...lanes];
  }

  async enqueue(appends: readonly StreamAppend[], batch: boolean): Promise<readonly AppendOutcome[]> {
    if (this.#closed) throw new LogUnavailable('the log was closed; nothing was sent');
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ appends, batch, resolve, reject });
      this.#schedule();
    });
  }

  /** Refuses waiting and new appends; resolves when those that were sent are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const each of this.#waiting.splice(0)) each.reject(new LogUnavailable('the log was closed; nothing was sent'));
    await Promise.all(this.#underWay);
  }

  /** After the callers that run in this turn of the event loop, so that their appends share a group. */
  #schedule(): void {
    if (this.#scheduled || this.#idle.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#idle.length > 0 && this.#waiting.length > 0) {
        const group = this.#take();
        if (group.length === 0) return;
        const sending = this.#send(this.#idle.shift()!, group);
        this.#underWay.add(sending);
        void sending.finally(() => this.#underWay.delete(sending));
      }
    });
  }

  /** The next group: at most `GROUP_EVENTS` events, one append a stream, none of a stream that another lane is writing. */
  #take(): Waiting[] {
    const group: Waiting[] = [];
    const passed: Waiting[] = [];
    const streams = new Set<string>();
    let size = 0;
    let next = 0;
    for (; next < this.#waiting.length && passed.length < LOOK_AHEAD; next += 1) {
      const each = this.#waiting[next]!;
      if (each.batch) {
        if (group.length > 0 || passed.length > 0) break;
        group.push(each);
        next += 1;
        break;
      }
      const { stream, events } = each.appends[0]!;
      if (size > 0 && size + events.length > GROUP_EVENTS) break;
      if (streams.has(stream) || this.#busyStreams.has(stream)) passed.push(each);
      else {
        group.push(each);
        size += events.length;
      }
      streams.add(stream);
    }
    this.#waiting = [...passed, ...this.#waiting.slice(next)];
    return group;
  }

  async #send(lane: AppendLane, group: readonly Waiting[]): Promise<void> {
    const streams = group.flatMap(({ appends, batch }) => (batch ? [] : [appends[0]!.stream]));
    for (const stream of streams) this.#busyStreams.add(stream);
    try {
      const outcomes = await lane.send(group.flatMap(({ appends }) => appends));
      let from = 0;
      for (const { appends, resolve } of group) resolve(outcomes.slice(from, (from += appends.length)));
    } catch (error) {
      await this.#complete(lane, group, error);
    }
    for (const stream of streams) this.#busyStreams.delete(stream);
    this.#idle.push(lane);
    this.#schedule();
  }

  /** A defect of one append (invalid JSON) must not fail the others of its group: each is sent again alone. */
  async #complete(lane: AppendLane, group: readonly Waiting[], error: unknown): Promise<void> {
    const alone = group.length === 1 || error instanceof OutcomeUnknown || error instanceof LogUnavailable;
    for (const { appends, resolve, reject } of group) {
      if (alone) reject(error);
      else await lane.send(appends).then(resolve, reject);
    }
  }
}
