import { setTimeout as after } from 'node:timers/promises';
import { OPERATIONS, type OperationId } from '../../contract/operations.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type SoakRequest, judgeAnswer, type Outcome } from './judge-answer.ts';
import type { Member } from './member.ts';
import type { World } from './world.ts';

const PATIENCE_MS = 45_000;
const GIVE_UP_MS = 180_000;

export interface Question {
  readonly operation: OperationId;
  /** Relative to the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The soak is over or has too many failures. */
export class Over extends Error {
  override readonly name = 'Over';
}

export interface SoakAnswer {
  readonly status: number;
  readonly text: string;
  /** The process that answered. */
  readonly member: string;
  readonly from: number;
  readonly to: number;
}

/** A customer with a key who sends requests to any API process, and repeats them while a fault explains the refusal. */
export class Customer {
  readonly #world: World;
  readonly #key: string;
  readonly #random: SeededRandom;
  readonly #over: AbortSignal;

  constructor(world: World, key: string, random: SeededRandom, over: AbortSignal) {
    this.#world = world;
    this.#key = key;
    this.#random = random;
    this.#over = AbortSignal.any([over, world.failures.tooMany]);
  }

  get over(): boolean {
    return this.#over.aborted;
  }

  /** Waits unless the soak is over. Throws `Over`. */
  async rest(milliseconds: number): Promise<void> {
    await after(milliseconds, undefined, { signal: this.#over }).catch(() => undefined);
    if (this.over) throw new Over('over');
  }

  /** Repeats a request until it succeeds. Throws `Over`, also after a wrong answer, which is recorded. */
  async ask(question: Question): Promise<SoakAnswer> {
    const started = performance.now();
    for (;;) {
      const up = this.#world.api().filter(({ baseUrl }) => baseUrl !== null);
      const member = up[this.#random.below(up.length)];
      if (member !== undefined) {
        const description = await this.#once(member, question);
        if (description !== null) return description;
      }
      if (performance.now() - started > GIVE_UP_MS) {
        this.#world.failures.add(`${question.operation} ${question.path} was asked for three minutes in vain`);
        throw new Over('in vain');
      }
      await this.rest(100 + this.#random.below(400));
    }
  }

  async #once(member: Member, question: Question): Promise<SoakAnswer | null> {
    const { operation, path, headers, body } = question;
    const from = performance.now();
    const outcome = await send(`${member.baseUrl}${path}`, {
      method: OPERATIONS[operation].method,
      headers: { authorization: `Bearer ${this.#key}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const request: SoakRequest = { operation, member: member.name, from, to: performance.now() };
    count(this.#world, operation, outcome);
    const verdict = judgeAnswer(request, outcome, this.#world.disturbances);
    if (verdict === 'again') return null;
    if (verdict === 'good' && outcome.kind === 'answer') {
      return { status: outcome.status, text: outcome.text, member: member.name, from, to: request.to };
    }
    if (typeof verdict === 'object') this.#world.failures.add(verdict.wrong);
    throw new Over('wrong');
  }
}

/** The errors of fetch for a connection that ended during a request. */
interface Broken {
  readonly code?: string;
  readonly message?: string;
  readonly socket?: { readonly localPort?: number; readonly bytesWritten?: number; readonly bytesRead?: number };
}

/** Uses a persistent connection: the service must not end a connection with a request on it. */
async function send(url: string, init: RequestInit): Promise<Outcome> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const answer = await fetch(url, { ...init, signal: patience });
    return { kind: 'answer', status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    const { cause = {} } = error as { cause?: Broken };
    const how = patience.aborted ? 'silent' : cause.code === 'ECONNREFUSED' ? 'refused' : 'broken';
    const { localPort, bytesWritten, bytesRead } = cause.socket ?? {};
    const on =
      localPort === undefined ? '' : `, from port ${localPort} after ${bytesWritten} bytes there and ${bytesRead} back`;
    return { kind: 'none', how, why: `${cause.code ?? ''} ${cause.message ?? String(error)}${on}`.trim() };
  }
}

function count({ answers }: World, operation: OperationId, outcome: Outcome): void {
  const code =
    outcome.kind === 'none'
      ? outcome.how
      : `${outcome.status} ${/"code":"(\w+)"/.exec(outcome.text.slice(0, 80))?.[1] ?? ''}`;
  const key = `${operation} ${code}`.trim();
  answers.set(key, (answers.get(key) ?? 0) + 1);
}
