import { type AppendOutcome, LogUnavailable, OutcomeUnknown, type Position, type StreamAppend } from '../../src/domain/ports/event-log.ts';
import { type AppendLane, AnswerLost } from './append-lane.ts';
import type { Answer } from './append-outcomes.ts';
import { type EncodedAppend, encodeAppend } from './append-requests.ts';
import { toPosition } from './log-position.ts';
import { NotReached } from './wire-errors.ts';

interface Waiting {
  readonly append: EncodedAppend;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface AppendQueueDependencies {
  readonly lane: AppendLane;
  /** Where the server gave no place for an append that it had stored before. */
  readonly positionOf: (stream: string, revision: number) => Promise<Position>;
  /** How long an append of unknown outcome is sent again, in milliseconds. */
  readonly againMs: number;
}

const APPENDS_UNDER_WAY = 1_000;
const BYTES_UNDER_WAY = 16_000_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Sends appends in their order, those of one stream one after another, no more at once than the bounds. An append whose answer was lost is
 * sent again with the same event ids: the server knows them and stores nothing twice.
 */
export class AppendQueue {
  readonly #dependencies: AppendQueueDependencies;
  readonly #busyStreams = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #bytes = 0;
  #closed = false;
  #scheduled = false;

  constructor(dependencies: AppendQueueDependencies) {
    this.#dependencies = dependencies;
  }

  async append(append: StreamAppend): Promise<AppendOutcome> {
    const encoded = encodeAppend(append);
    if (this.#closed) throw new LogUnavailable('the log was closed; nothing was sent');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ append: encoded, resolve, reject });
    this.#schedule();
    const answer = await promise;
    if (answer.kind === 'conflict') return answer;
    const { revision, place } = answer;
    const position = place === null ? await this.#dependencies.positionOf(append.stream, revision) : toPosition(place);
    return { kind: 'appended', position, revision };
  }

  /** Takes no more appends and resolves when those under way are answered; those that wait are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const each of this.#waiting.splice(0)) each.reject(new LogUnavailable('the log was closed; nothing was sent'));
    await Promise.all(this.#underWay);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const kept: Waiting[] = [];
      const passed = new Set<string>();
      for (const each of this.#waiting) {
        const { stream } = each.append;
        const full = this.#underWay.size >= APPENDS_UNDER_WAY || this.#bytes >= BYTES_UNDER_WAY;
        if (full || passed.has(stream) || this.#busyStreams.has(stream)) {
          kept.push(each);
          passed.add(stream);
        } else this.#start(each);
      }
      this.#waiting = kept;
    });
  }

  #start({ append, resolve, reject }: Waiting): void {
    this.#busyStreams.add(append.stream);
    this.#bytes += append.bytes;
    const sending = this.#send(append).then(resolve, reject);
    this.#underWay.add(sending);
    void sending.finally(() => {
      this.#underWay.delete(sending);
      this.#busyStreams.delete(append.stream);
      this.#bytes -= append.bytes;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async #send(append: EncodedAppend): Promise<Answer> {
    const { lane, againMs } = this.#dependencies;
    const until = Date.now() + againMs;
    let sent = false;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        return await lane.send(append);
      } catch (error) {
        if (!(error instanceof AnswerLost || error instanceof NotReached || error instanceof LogUnavailable)) throw error;
        sent ||= error instanceof AnswerLost;
        if (!sent) throw new LogUnavailable('the log could not be reached; nothing was stored', { cause: error });
        if (this.#closed || Date.now() + pause > until) {
          throw new OutcomeUnknown('the connection to the log was lost while an append was under way', { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}
