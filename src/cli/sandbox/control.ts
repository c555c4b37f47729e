import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { Civic } from '../../civic.ts';
import { plansSetting } from '../../edge/admission/plans.ts';
import { ignoreBodies, parseJson, takeJson } from '../../edge/http/input.ts';
import { createListener, READING } from '../../edge/http/listener.ts';
import { refusalOfHost } from '../../edge/ops/ops-server.ts';
import { duration } from '../../setting-values.ts';
import { newChanges, publishDocuments, renew, renewal, setSource, sourceState } from './changes.ts';
import { failure, type Failures } from './failures.ts';
import { asSetting, type ChangeablePlans } from './settings.ts';

/** What the control reaches into. */
interface Controlled {
  /** Rejects until the service answers. */
  readonly civic: () => Civic;
  readonly failures: Failures;
  readonly plans: () => ChangeablePlans;
  readonly clock: { advance(milliseconds: number): void };
  /** Addresses and keys, as they were printed. */
  readonly printed: () => object;
  readonly logger: Logger;
}

const TIMEOUTS = { headers: 5_000, request: 60_000, keepAlive: 5_000, keepAliveMargin: 1_000, close: 1_000 };
const LIMITS = { total: 100, perClient: 100, pipelined: 8 };
const MAX_BODY_BYTES = 65_536;

const advance = z.strictObject({ advance: asSetting(duration('P31D')) });
const plansBody = z
  .unknown()
  .transform((given): Readonly<Record<'stated' | 'plans', unknown>> => ({ stated: given, plans: JSON.stringify(given) }))
  .pipe(z.object({ stated: z.unknown(), plans: asSetting(plansSetting) }));
/** What a facilitator is sent; the service has checked the signature. */
const payment = z.object({
  paymentPayload: z.object({ payload: z.object({ authorization: z.object({ from: z.string() }) }) }),
  paymentRequirements: z.object({ network: z.string() }),
});

/** The control address of a sandbox, and the facilitator that its service pays through. Listen on loopback only: it needs no credential. */
export function createControl({ civic, failures, plans, clock, printed, logger }: Controlled) {
  let requests = 0;
  let statedPlans: unknown = {};
  const listener = createListener({
    docsOf: null,
    answerAtOnce: null,
    timeouts: TIMEOUTS,
    limits: LIMITS,
    isTrustedProxy: () => false,
    requestId: () => `control-${(requests += 1)}`,
    follow: (_request, reply, next) => {
      reply.header('cache-control', 'no-store');
      next();
    },
    logger,
    errorPage: null,
    metrics: { refused: () => undefined, connectionRefused: () => undefined },
  });
  const { app } = listener;
  app.addHook('onRequest', (request, _reply, done) =>
    done(refusalOfHost(request, [], 'the control of a sandbox answers to localhost and to addresses')),
  );
  const post = <Schema extends z.ZodType>(url: string, body: Schema, work: (asked: z.output<Schema>) => Promise<object> | object): void => {
    app.register(async (scope) => {
      takeJson(scope, parseJson);
      scope.route({
        method: 'POST',
        url,
        bodyLimit: MAX_BODY_BYTES,
        schema: { body },
        handler: async (request) => work(request.body as z.output<Schema>),
      });
    });
  };
  const bodiless = (method: readonly string[], url: string, work: () => object): void => {
    app.register(async (scope) => {
      ignoreBodies(scope);
      scope.route({ method: [...method], url, handler: async () => work() });
    });
  };

  bodiless(READING, '/sandbox', () => ({
    now: new Date(civic().clock.now()).toISOString(),
    ...printed(),
    plans: statedPlans,
    failures: failures.list(),
  }));
  post('/sandbox/clock', advance, async (asked) => {
    clock.advance(asked.advance);
    // What the minute's job would do at that time.
    const prunedRows = await civic().prune();
    return { now: new Date(civic().clock.now()).toISOString(), prunedRows };
  });
  post('/sandbox/changes', newChanges, (asked) => publishDocuments(civic(), asked));
  post('/sandbox/feed/renew', renewal, (asked) => renew(civic(), asked));
  post('/sandbox/source', sourceState, (asked) => setSource(civic(), asked));
  post('/sandbox/plans', plansBody, (asked) => {
    Object.assign(plans(), asked.plans);
    return { plans: (statedPlans = asked.stated) };
  });
  post('/sandbox/failures', failure, (asked) => {
    failures.add(asked);
    return { failures: failures.list() };
  });
  bodiless(['DELETE'], '/sandbox/failures', () => {
    failures.clear();
    return { failures: failures.list() };
  });

  post('/facilitator/verify', payment, ({ paymentPayload }) => ({ isValid: true, payer: paymentPayload.payload.authorization.from }));
  post('/facilitator/settle', payment, ({ paymentPayload, paymentRequirements: { network } }) => {
    const payer = paymentPayload.payload.authorization.from;
    const asked = failures.settlement();
    // The service cannot know then whether the money has moved.
    if (asked === 'unknown') throw new Rejection('feed_unavailable', 'the sandbox was asked for a settlement of unknown outcome');
    if (asked === 'refused') return { success: false, errorReason: 'insufficient_funds', transaction: '', network, payer };
    return { success: true, transaction: `0x${randomBytes(32).toString('hex')}`, network, payer };
  });
  return listener;
}
