import { Backoff } from '../../plumbing/retry.ts';
import {
  type AppendOutcome,
  LogUnavailable,
  OutcomeUnknown,
  type Position,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { type Answer, encodeAppend, type EncodedAppend } from './append-calls.ts';
import { AnswerLost } from './wire-errors.ts';

interface Waiting {
  readonly append: EncodedAppend;
  /** Sequence number of the call. */
  readonly turn: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  /** Time until which it is resent. Set when its answer is lost. */
  until: number | null;
}

interface AppendQueueDependencies {
  /**
   * Throws `LogUnavailable` if nothing was stored, `AnswerLost` if the outcome is unknown, or the mapped error of the
   * server.
   */
  readonly send: (append: EncodedAppend) => Promise<Answer>;
  /** Reads the position of a repeated append, which the server does not return. */
  readonly positionOf: (stream: string, revision: number) => Promise<Position>;
  /** Milliseconds during which an append of unknown outcome is resent. */
  readonly againMs: number;
}

const APPENDS_UNDER_WAY = 1_000;
const BYTES_UNDER_WAY = 16_000_000;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;
const LOST = 'the connection to the log was lost while an append was under way';

/**
 * Sends appends in order, with limits on what is in flight and at most one append per stream at a time. Resends an
 * append whose answer was lost before later ones, with the same event ids, so that the server stores nothing twice.
 */
export class AppendQueue {
  readonly #dependencies: AppendQueueDependencies;
  readonly #busyStreams = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  /** Appends to resend once none is in flight. */
  #lost: Waiting[] = [];
  #turns = 0;
  #bytes = 0;
  readonly #backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
  #closed = false;
  #scheduled = false;

  constructor(dependencies: AppendQueueDependencies) {
    this.#dependencies = dependencies;
  }

  async append(append: StreamAppend): Promise<AppendOutcome> {
    const encoded = encodeAppend(append);
    if (this.#closed) throw new LogUnavailable('the log was closed; nothing was sent');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ append: encoded, turn: (this.#turns += 1), resolve, reject, until: null });
    this.#schedule();
    const answer = await promise;
    if (answer.kind === 'conflict') return answer;
    const { revision, position } = answer;
    return {
      kind: 'appended',
      position: position ?? (await this.#dependencies.positionOf(append.stream, revision)),
      revision,
    };
  }

  /** Rejects waiting and new appends. Resolves when those in flight are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const each of [...this.#waiting.splice(0), ...this.#lost.splice(0)]) {
      each.reject(
        each.until !== null ? new OutcomeUnknown(LOST) : new LogUnavailable('the log was closed; nothing was sent'),
      );
    }
    await Promise.all(this.#underWay);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#lost.length > 0) return;
      const blocked: Waiting[] = [];
      const passed = new Set<string>();
      for (const each of this.#waiting) {
        const { stream } = each.append;
        const full = this.#underWay.size >= APPENDS_UNDER_WAY || this.#bytes >= BYTES_UNDER_WAY;
        if (full || passed.has(stream) || this.#busyStreams.has(stream)) {
          blocked.push(each);
          passed.add(stream);
        } else this.#start(each);
      }
      this.#waiting = blocked;
    });
  }

  #start(each: Waiting): void {
    const { stream, bytes } = each.append;
    this.#busyStreams.add(stream);
    this.#bytes += bytes;
    const sending = this.#send(each);
    this.#underWay.add(sending);
    void sending.finally(() => {
      this.#underWay.delete(sending);
      this.#busyStreams.delete(stream);
      this.#bytes -= bytes;
      if (this.#lost.length > 0 && this.#underWay.size === 0) this.#sendLostAgain();
      else if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async #send(each: Waiting): Promise<void> {
    try {
      each.resolve(await this.#dependencies.send(each.append));
      this.#backoff.reset();
    } catch (error) {
      if (!(error instanceof AnswerLost || error instanceof LogUnavailable)) {
        each.reject(error);
        return;
      }
      if (error instanceof AnswerLost) each.until ??= Date.now() + this.#dependencies.againMs;
      if (each.until === null)
        each.reject(new LogUnavailable(`${error.message}; nothing was stored`, { cause: error }));
      else if (this.#closed || Date.now() + this.#backoff.next > each.until)
        each.reject(new OutcomeUnknown(LOST, { cause: error }));
      else this.#lost.push(each);
    }
  }

  #sendLostAgain(): void {
    setTimeout(() => {
      this.#waiting = [...this.#lost, ...this.#waiting].toSorted((one, other) => one.turn - other.turn);
      this.#lost = [];
      this.#schedule();
    }, this.#backoff.take());
  }
}
