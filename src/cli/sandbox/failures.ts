import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { postMcpJsonRpc } from '../../../contract/post-mcp-json-rpc.ts';
import { CUSTOMER_OPERATIONS, PUBLIC_OPERATIONS } from '../../../contract/operations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../../domain/ports/database.ts';
import { isStoreFailure } from '../../../domain/retry.ts';
import { healthOf, NO_ANSWERS } from '../../../queries/feed/read-civic-health.ts';
import { asData } from '../../edge/answers/exchange.ts';
import type { Civic } from '../../civic.ts';
import { duration } from '../../setting-values.ts';
import { asSetting } from './settings.ts';

const { operationId: TOOLS } = postMcpJsonRpc;
/** The settlement of a payment at the facilitator; all others are operations of the interface. */
const SETTLE = 'settlePayment';
const OF_SETTLEMENT = ['refused', 'unknown'] as const;
const MAX_TIMES = 10_000;

const answerOf = (failure: { readonly answer: unknown }): boolean => (OF_SETTLEMENT as readonly unknown[]).includes(failure.answer);

/** A failure on request. `slow` waits for `delay`; `cut` sends half of the answer; `refused` and `unknown` are results of `settlePayment`. */
export const failure = z
  .strictObject({
    operation: z.enum([...Object.keys(PUBLIC_OPERATIONS), ...Object.keys(CUSTOMER_OPERATIONS), TOOLS, SETTLE]),
    answer: z.literal([500, 503, 504, 'slow', 'cut', ...OF_SETTLEMENT]),
    times: z.int().min(1).max(MAX_TIMES).default(1),
    delay: asSetting(duration('PT3S')).optional(),
  })
  .refine((asked) => answerOf(asked) === (asked.operation === SETTLE), {
    error: `answers of ${SETTLE} are ${OF_SETTLEMENT.join(' and ')}; those of an operation are 500, 503, 504, slow and cut`,
    path: ['answer'],
  })
  .refine(({ answer, delay }) => (delay === undefined) === (answer !== 'slow'), {
    error: 'a delay such as PT3S goes with the answer slow, and with no other',
    path: ['delay'],
  });

type Failure = z.output<typeof failure>;
type Answer = Failure['answer'];

export type Failures = ReturnType<typeof createFailures>;

/** The failures that were asked for and have not happened yet; those of one operation happen in their order. */
export function createFailures(clock: Pick<Clock, 'sleep'>, deadlineMs: () => number) {
  let asked: { readonly failure: Failure; left: number }[] = [];
  /** The next failure of an operation, if it is of these kinds. */
  const take = (operation: string, ...answers: readonly Answer[]): Failure | undefined => {
    const next = asked.find(({ failure }) => failure.operation === operation && answers.includes(failure.answer));
    if (next === undefined) return undefined;
    next.left -= 1;
    asked = asked.filter(({ left }) => left > 0);
    return next.failure;
  };
  return {
    list: () => asked.map(({ failure: { delay, ...each }, left }) => ({ ...each, times: left, ...(delay && { delayMs: delay }) })),
    add: (added: Failure): void => void asked.push({ failure: added, left: added.times }),
    clear: (): void => void (asked = []),
    /** Throws what the database throws, so that the service itself makes the answer. */
    async befall(operation: string): Promise<void> {
      const next = take(operation, 500, 503, 504, 'slow');
      if (next?.answer === 500) throw new Error('the sandbox was asked for it');
      if (next?.answer === 503) throw new DatabaseUnavailable('the sandbox was asked for it');
      const late = next?.answer === 504 || (next?.delay ?? 0) >= deadlineMs();
      if (next?.delay !== undefined) await clock.sleep(Math.min(next.delay, deadlineMs()));
      if (late) throw new DeadlineExceeded('the sandbox was asked for it');
    },
    /** Cuts the answer where that was asked for. */
    disturb(operation: string, answer: ServerResponse): void {
      if (take(operation, 'cut') !== undefined) cutInHalf(answer);
    },
    settlement: () => take(SETTLE, ...OF_SETTLEMENT)?.answer,
  };
}

/** Half of the first bytes of the body are sent; then the connection ends. */
function cutInHalf(answer: ServerResponse): void {
  const write = answer.write.bind(answer) as (bytes: Buffer, done: () => void) => boolean;
  const cut = (chunk: unknown, encoding: unknown): void => {
    const text = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, text) : chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
    if (bytes.length < 2) answer.destroy();
    else write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => void answer.destroy());
  };
  answer.write = ((chunk: unknown, encoding: unknown) => (cut(chunk, encoding), true)) as typeof answer.write;
  answer.end = ((chunk: unknown, encoding: unknown) => (cut(chunk, encoding), answer)) as typeof answer.end;
}

type Ask = (...given: readonly never[]) => Promise<unknown>;

/** The program, whose operations and tools fail as they are asked to, after the admission of a request. */
export function failing(civic: Civic, { befall }: Pick<Failures, 'befall'>): Civic {
  const before = (operation: string, ask: Ask): Ask => {
    return async (...given) => {
      await befall(operation);
      return ask(...given);
    };
  };
  const each = <Functions extends object>(functions: Functions, nameOf: (name: string) => string): Functions =>
    Object.fromEntries(Object.entries(functions).map(([name, ask]) => [name, before(nameOf(name), ask as Ask)])) as Functions;
  const operations = each(civic.operations, (name) => name);
  // Health never fails: it states what it cannot read.
  const readCivicHealth: typeof operations.readCivicHealth = async () => {
    try {
      return await operations.readCivicHealth();
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return asData(healthOf(new Date(civic.clock.now()).toISOString(), NO_ANSWERS, false));
    }
  };
  const publicOperations = Object.fromEntries(
    Object.entries(civic.publicOperations).map(([name, answer]) => [
      name,
      { ...answer, ask: before(name, answer.ask.bind(answer) as Ask) },
    ]),
  ) as unknown as Civic['publicOperations'];
  const tools = { ...civic.tools, functions: each(civic.tools.functions, () => TOOLS) };
  // Without reads ahead of admission: a request that is refused takes no failure from the ones that were asked for.
  const admit: Civic['admission']['admit'] = (presented) => civic.admission.admit({ ...presented, readAhead: undefined });
  return {
    ...civic,
    admission: { ...civic.admission, admit },
    operations: { ...operations, readCivicHealth },
    publicOperations,
    tools,
  };
}
