import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { postMcpJsonRpc } from '../../../contract/post-mcp-json-rpc.ts';
import { CUSTOMER_OPERATIONS, PUBLIC_OPERATIONS } from '../../../contract/operations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../../domain/ports/database.ts';
import { isStoreFailure } from '../../../plumbing/retry.ts';
import { healthOf, NO_ANSWERS } from '../../../queries/feed/read-civic-health.ts';
import { asData } from '../../edge/answers/exchange.ts';
import type { Civic } from '../../app/civic.ts';
import { duration } from '../../app/setting-values.ts';
import { asSetting } from './settings.ts';

const { operationId: TOOLS } = postMcpJsonRpc;
/** Settlement of a payment at the facilitator; all other names are operations of the interface. */
const SETTLE = 'settlePayment';
const OF_SETTLEMENT = ['refused', 'unknown'] as const;
const MAX_TIMES = 10_000;

const isSettlement = (failure: { readonly answer: unknown }): boolean =>
  (OF_SETTLEMENT as readonly unknown[]).includes(failure.answer);

/** A failure on request. `slow` waits for `delay`; `cut` sends half of the answer; `refused` and `unknown` are results of `settlePayment`. */
export const failure = z
  .strictObject({
    operation: z.enum([...Object.keys(PUBLIC_OPERATIONS), ...Object.keys(CUSTOMER_OPERATIONS), TOOLS, SETTLE]),
    answer: z.literal([500, 503, 504, 'slow', 'cut', ...OF_SETTLEMENT]),
    times: z.int().min(1).max(MAX_TIMES).default(1),
    delay: asSetting(duration('PT3S')).optional(),
  })
  .refine((input) => isSettlement(input) === (input.operation === SETTLE), {
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

/** Queue of requested failures that have not happened yet; those of one operation happen in their order. */
export function createFailures(clock: Pick<Clock, 'sleep'>, deadlineMs: () => number) {
  let pending: { readonly failure: Failure; left: number }[] = [];
  /** Takes the next failure of an operation that has one of these answers. */
  const take = (operation: string, ...answers: readonly Answer[]): Failure | undefined => {
    const next = pending.find(({ failure }) => failure.operation === operation && answers.includes(failure.answer));
    if (next === undefined) return undefined;
    next.left -= 1;
    pending = pending.filter(({ left }) => left > 0);
    return next.failure;
  };
  return {
    list: () =>
      pending.map(({ failure: { delay, ...each }, left }) => ({
        ...each,
        times: left,
        ...(delay && { delayMs: delay }),
      })),
    add: (added: Failure): void => void pending.push({ failure: added, left: added.times }),
    clear: (): void => void (pending = []),
    /** Throws the errors of the database, so that the service itself creates the response. */
    async throwNext(operation: string): Promise<void> {
      const next = take(operation, 500, 503, 504, 'slow');
      if (next?.answer === 500) throw new Error('requested at the control of the sandbox');
      if (next?.answer === 503) throw new DatabaseUnavailable('requested at the control of the sandbox');
      const isLate = next?.answer === 504 || (next?.delay ?? 0) >= deadlineMs();
      if (next?.delay !== undefined) await clock.sleep(Math.min(next.delay, deadlineMs()));
      if (isLate) throw new DeadlineExceeded('requested at the control of the sandbox');
    },
    /** Cuts off the response if that was requested. */
    disturb(operation: string, answer: ServerResponse): void {
      if (take(operation, 'cut') !== undefined) cutInHalf(answer);
    },
    settlement: () => take(SETTLE, ...OF_SETTLEMENT)?.answer,
  };
}

/** Sends half of the first chunk of the body, then closes the connection. */
function cutInHalf(answer: ServerResponse): void {
  const write = answer.write.bind(answer) as (bytes: Buffer, done: () => void) => boolean;
  const cut = (chunk: unknown, encoding: unknown): void => {
    const text = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, text)
        : chunk instanceof Uint8Array
          ? Buffer.from(chunk)
          : Buffer.alloc(0);
    if (bytes.length < 2) answer.destroy();
    else write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => void answer.destroy());
  };
  answer.write = ((chunk: unknown, encoding: unknown) => (cut(chunk, encoding), true)) as typeof answer.write;
  answer.end = ((chunk: unknown, encoding: unknown) => (cut(chunk, encoding), answer)) as typeof answer.end;
}

type Ask = (...input: readonly never[]) => Promise<unknown>;

/** Wraps the program so that operations and tools fail as requested, after a request was admitted. */
export function withFailures(civic: Civic, { throwNext }: Pick<Failures, 'throwNext'>): Civic {
  const before = (operation: string, ask: Ask): Ask => {
    return async (...input) => {
      await throwNext(operation);
      return ask(...input);
    };
  };
  const operations = mapValues(civic.operations, (name, ask) => before(name, ask));
  // Health never fails: it reports what it cannot read.
  const readCivicHealth: typeof operations.readCivicHealth = async () => {
    try {
      return await operations.readCivicHealth();
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return asData(healthOf(new Date(civic.clock.now()).toISOString(), NO_ANSWERS, false));
    }
  };
  const publicOperations = mapValues(civic.publicOperations, (name, answer) => ({
    ...answer,
    ask: before(name, answer.ask.bind(answer)),
  }));
  const functions = mapValues(civic.tools.functions, (_name, call) => before(TOOLS, call));
  return {
    ...civic,
    operations: { ...operations, readCivicHealth },
    publicOperations,
    tools: { ...civic.tools, functions },
  };
}

/** Returns the object with each value replaced by one of the same kind. */
function mapValues<Values extends object>(
  values: Values,
  change: (name: string, value: Values[keyof Values]) => unknown,
): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)])) as Values;
}
