import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { Civic } from '../../app/civic.ts';
import { plansSetting } from '../../edge/admission/plans.ts';
import { ignoreBodies, parseJson, acceptJson } from '../../edge/http/input.ts';
import { READING } from '../../edge/http/listener.ts';
import { createPrivateListener } from '../../edge/ops/private-listener.ts';
import { duration } from '../../app/setting-values.ts';
import { newChanges, publishDocuments, renew, renewal, setSource, sourceState } from './changes.ts';
import { failure, type Failures } from './failures.ts';
import { asSetting, type ChangeablePlans } from './settings.ts';

/** Parts of the sandbox that the control changes. */
interface Controlled {
  /** Throws until the service has started. */
  readonly civic: () => Civic;
  readonly failures: Failures;
  readonly plans: () => ChangeablePlans;
  readonly clock: { advance(milliseconds: number): void };
  /** Addresses and keys, as they were printed. */
  readonly printed: () => object;
  readonly logger: Logger;
}

const MAX_BODY_BYTES = 65_536;

const advance = z.strictObject({ advance: asSetting(duration('P31D')) });
const plansBody = z
  .unknown()
  .transform((body): Readonly<Record<'input' | 'plans', unknown>> => ({ input: body, plans: JSON.stringify(body) }))
  .pipe(z.object({ input: z.unknown(), plans: asSetting(plansSetting) }));
/** Request to a facilitator; the service has already checked the signature. */
const payment = z.object({
  paymentPayload: z.object({ payload: z.object({ authorization: z.object({ from: z.string() }) }) }),
  paymentRequirements: z.object({ network: z.string() }),
});

/** The control address of a sandbox, and the facilitator that its service pays through. Listen on loopback only: it needs no credential. */
export function createControl(controlled: Controlled) {
  const listener = createPrivateListener({
    name: 'control',
    headers: {},
    allowedHosts: [],
    hostRefusal: 'the control of a sandbox answers to localhost and to addresses',
    requestMs: 60_000,
    logger: controlled.logger,
  });
  const routes = createRoutes(listener.app);
  addStateRoutes(routes, controlled);
  addFailureRoutes(routes, controlled.failures);
  addFacilitatorRoutes(routes, controlled.failures);
  return listener;
}

type Routes = ReturnType<typeof createRoutes>;

function createRoutes(app: ReturnType<typeof createPrivateListener>['app']) {
  const post = <Schema extends z.ZodType>(
    url: string,
    body: Schema,
    work: (input: z.output<Schema>) => Promise<object> | object,
  ): void => {
    app.register(async (scope) => {
      acceptJson(scope, parseJson);
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
  return { post, bodiless };
}

function addStateRoutes({ post, bodiless }: Routes, { civic, failures, plans, clock, printed }: Controlled): void {
  let currentPlans: unknown = {};
  bodiless(READING, '/sandbox', () => ({
    now: new Date(civic().clock.now()).toISOString(),
    ...printed(),
    plans: currentPlans,
    failures: failures.list(),
  }));
  post('/sandbox/clock', advance, async (input) => {
    clock.advance(input.advance);
    // Prunes like the job that runs every minute.
    const prunedRows = await civic().prune();
    return { now: new Date(civic().clock.now()).toISOString(), prunedRows };
  });
  post('/sandbox/changes', newChanges, (input) => publishDocuments(civic(), input));
  post('/sandbox/feed/renew', renewal, (input) => renew(civic(), input));
  post('/sandbox/source', sourceState, (input) => setSource(civic(), input));
  post('/sandbox/plans', plansBody, ({ input, plans: changed }) => {
    Object.assign(plans(), changed);
    return { plans: (currentPlans = input) };
  });
}

function addFailureRoutes({ post, bodiless }: Routes, failures: Failures): void {
  post('/sandbox/failures', failure, (input) => {
    failures.add(input);
    return { failures: failures.list() };
  });
  bodiless(['DELETE'], '/sandbox/failures', () => {
    failures.clear();
    return { failures: failures.list() };
  });
}

function addFacilitatorRoutes({ post }: Routes, failures: Failures): void {
  post('/facilitator/verify', payment, ({ paymentPayload }) => ({
    isValid: true,
    payer: paymentPayload.payload.authorization.from,
  }));
  post('/facilitator/settle', payment, ({ paymentPayload, paymentRequirements: { network } }) => {
    const payer = paymentPayload.payload.authorization.from;
    const settlement = failures.settlement();
    // The service cannot know whether the money has moved.
    if (settlement === 'unknown')
      throw new Rejection('feed_unavailable', 'a settlement of unknown outcome was requested');
    if (settlement === 'refused')
      return { success: false, errorReason: 'insufficient_funds', transaction: '', network, payer };
    return { success: true, transaction: `0x${randomBytes(32).toString('hex')}`, network, payer };
  });
}
