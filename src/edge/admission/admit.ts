import type { PageForm, Surface } from '../../../contract/operation.ts';
import {
  type AdmissionRules,
  type Allowances,
  type BillingFacts,
  type Charge,
  type ChargeRequest,
  type ChargeUnits,
  exportBucket,
  type ChargedKey,
  type KeyIdentity,
  type LookUpKey,
} from '../../../domain/plans.ts';
import type { Scope } from '../../../domain/events/account-events.ts';
import { isKeySecret, keySecretHash } from '../../../domain/key-secret.ts';
import type { BucketState, OnAllowance, WindowCounts } from '../../../domain/ports/counts.ts';
import type { SpanAttributes, Tracing } from '../../../domain/ports/tracing.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { PAGE_CEILING } from '../../../contract/fields.ts';
import type { JsonPage } from '../../../contract/inputs.ts';
import { billingRefusal } from './billing.ts';

const MAX_HEADER_LENGTH = 256;

/**
 * Returns the API key of the header. Throws 401 `unauthorized` for anything else, including a cookie or another scheme.
 */
function presentedSecret(header: string | undefined): string {
  if (header === undefined)
    throw new Rejection('unauthorized', 'an API key is required: Authorization: Bearer <API_KEY>');
  const secret = header.length <= MAX_HEADER_LENGTH ? /^bearer +([^ ]+)$/i.exec(header)?.[1] : undefined;
  if (secret === undefined || !isKeySecret(secret)) {
    throw new Rejection('unauthorized', 'the Authorization header does not contain exactly one API key');
  }
  return secret;
}

export interface Principal {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly allowances: Allowances;
  /** Read at admission. Commands and tools decide by these facts, so one request sees one state. */
  readonly billing: BillingFacts;
}

interface Admitted {
  /** The `Authorization` header. Repeated headers arrive joined and are not a credential. */
  readonly authorization: string | undefined;
  readonly surface: Surface;
  /** Null if any active key is enough. */
  readonly scope: Scope | null;
  /** Clock milliseconds. */
  readonly now: number;
}

interface Presented extends Admitted {
  /**
   * Called after the minute and burst buckets were read, even if they are exhausted or the request is refused later.
   */
  readonly onAllowance?: OnAllowance;
}

interface AdmissionParts {
  readonly rules: AdmissionRules;
  readonly chargeRequest: ChargeRequest;
  readonly lookUpKey: LookUpKey;
  readonly chargeUnits: ChargeUnits;
  readonly windowCounts: WindowCounts;
  /** Receives the hash of each admitted secret. */
  readonly onUse: (sha256: string, now: number) => void;
  /** Receives the cause of a 503, for the log only. */
  readonly onFailure: (error: unknown) => void;
}

export type Admission = ReturnType<typeof createAdmission>;
/** Creates the admission that REST and MCP share. Its functions throw a `Rejection` for each refusal. */
export function createAdmission(parts: AdmissionParts) {
  const { rules, chargeRequest, windowCounts } = parts;
  const lookUp = <Result>(read: () => Promise<Result>) => failClosed(parts.onFailure, 'identity and limits', read);
  const requirePrincipal = (
    charged: ChargedKey | null,
    { surface, scope, now, onAllowance }: Omit<Presented, 'authorization'>,
  ): Principal => {
    if (charged === null) throw unauthorized('the API key is unknown');
    const { identity, plan, charge } = charged;
    if (charge.kind !== 'refused' && 'states' in charge) onAllowance?.(charge.states);
    refuseByCharge(charge, identity);
    if (scope !== null && !identity.scopes.includes(scope))
      throw new Rejection('forbidden', `the API key lacks the scope ${scope}`);
    const refused = billingRefusal(surface, { facts: identity, enforced: rules.billingEnforced, now });
    if (refused !== null) throw refused;
    const { accountId, keyId, scopes } = identity;
    return { accountId, keyId, scopes, allowances: rules.plans[plan], billing: identity };
  };
  return {
    /**
     * Checks key, abuse ceiling, allowance, scope and billing, in this order (docs/developers/interface.md), before the
     * input is read.
     */
    async admit({ authorization, surface, scope, now, onAllowance }: Presented): Promise<Principal> {
      const sha256 = keySecretHash(presentedSecret(authorization));
      const charged = await lookUp(() => chargeRequest(sha256, now));
      const principal = requirePrincipal(charged, { surface, scope, now, onAllowance });
      parts.onUse(sha256, now);
      return principal;
    },
    /**
     * Checks key, scope and billing of an admitted request again without charging it: its access might have ended
     * since.
     */
    async admitAgain({ authorization, surface, scope, now }: Admitted): Promise<Principal> {
      const sha256 = keySecretHash(presentedSecret(authorization));
      return requirePrincipal(await lookUp(() => parts.lookUpKey(sha256, now)), { surface, scope, now });
    },
    /** Charges more units of minute and burst, all or none, for the calls of a batch after the first. */
    async chargeUnits(
      { accountId, allowances }: Principal,
      units: number,
      now: number,
    ): Promise<readonly BucketState[]> {
      const charge = await lookUp(() => parts.chargeUnits(accountId, allowances, units, now));
      if (charge.kind === 'charged') return charge.states;
      throw limited('the allowance of the account has no room for all calls', charge.retryAfterSeconds);
    },
    /** Charges exports of this hour after the input was read; 0 charges nothing. `onAllowance` receives the result. */
    async chargeExport(
      { accountId, allowances }: Principal,
      units: number,
      now: number,
      onAllowance?: OnAllowance,
    ): Promise<void> {
      const bucket = exportBucket(allowances);
      const charge = await lookUp(() => windowCounts.take(accountId, [bucket], units, now));
      onAllowance?.(
        charge.kind === 'taken' ? charge.states : [{ bucket, remaining: 0, resetSeconds: charge.retryAfterSeconds }],
      );
      if (charge.kind === 'taken') return;
      throw limited('the exports of the account in this hour are used up', charge.retryAfterSeconds);
    },
  };
}

function refuseByCharge(charge: Charge, { revokedAt, accountStatus }: KeyIdentity): void {
  if (charge.kind === 'charged') return;
  if (charge.kind === 'exhausted') {
    const what =
      charge.by === 'allowance'
        ? 'the allowance of the account is used up'
        : 'the account exceeded the maximum request rate';
    throw limited(what, charge.retryAfterSeconds);
  }
  if (revokedAt !== null) throw unauthorized('the API key is revoked');
  throw unauthorized(
    accountStatus === 'active'
      ? 'the API key is expired, or this secret of it was replaced'
      : 'the account of the API key is not active',
  );
}

const unauthorized = (message: string): Rejection => new Rejection('unauthorized', message);
const limited = (message: string, retryAfterSeconds: number): Rejection =>
  new Rejection('rate_limited', message, { retryAfterSeconds });

/** Traces each step of admission in a span that contains no identity. */
export function tracedAdmission(admission: Admission, tracing: Tracing | null): Admission {
  if (tracing === null) return admission;
  const traceStep = <Result>(name: string, attributes: SpanAttributes, read: () => Promise<Result>): Promise<Result> =>
    tracing.part({ name, kind: 'internal', attributes }, read);
  return {
    admit: (presented) => traceStep('admit', { 'civic.surface': presented.surface }, () => admission.admit(presented)),
    admitAgain: (admitted) =>
      traceStep('admit again', { 'civic.surface': admitted.surface }, () => admission.admitAgain(admitted)),
    chargeUnits: (...charge) => traceStep('charge units', {}, () => admission.chargeUnits(...charge)),
    chargeExport: (...charge) => traceStep('charge export', {}, () => admission.chargeExport(...charge)),
  };
}

/** Throws `authentication_unavailable` if the read fails. The cause goes to the log only. */
export async function failClosed<Result>(
  onFailure: (cause: unknown) => void,
  subject: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    onFailure(error);
    throw new Rejection('authentication_unavailable', `${subject} could not be looked up; try again later`);
  }
}

interface IdentifiedRequest {
  readonly principal: Principal;
  readonly requestId: string;
}
export const identifyCaller = ({ principal: { accountId, keyId }, requestId }: IdentifiedRequest) => ({
  accountId,
  keyId,
  requestId,
});

interface PageRequest extends Pick<IdentifiedRequest, 'principal'> {
  readonly query: { readonly limit: number };
  readonly form: PageForm;
}

/** Returns the size limits of a page under the caller's plan, and its form. */
export function limitPage({ query, principal: { allowances }, form }: PageRequest) {
  return {
    limit: Math.min(query.limit, allowances.maxPageSize, PAGE_CEILING),
    maxResponseBytes: allowances.maxResponseBytes,
    form,
  };
}

/** Throws `response_too_large` if an answer of this many bytes might exceed the caller's allowance. */
export function requireRoom({ allowances: { maxResponseBytes } }: Principal, bytes: number): void {
  if (maxResponseBytes >= bytes) return;
  throw new Rejection(
    'response_too_large',
    `nothing was changed: the receipt might exceed the ${maxResponseBytes} bytes of this account's responses`,
  );
}

/** Returns the JSON of a page. Throws `response_too_large` if it exceeds the caller's allowance. */
export function requireFittingJson(
  { body, text }: JsonPage,
  { allowances: { maxResponseBytes } }: Principal,
): string | Buffer {
  const json = body ?? text;
  // A text of n characters has at most 3n bytes, so most pages need no measuring.
  if (json.length * 3 > maxResponseBytes && Buffer.byteLength(json) > maxResponseBytes) {
    throw new Rejection('response_too_large', `the result is over ${maxResponseBytes} bytes; request less at once`);
  }
  return json;
}
