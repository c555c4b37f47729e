import { AsyncResource } from 'node:async_hooks';
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
  type LookAtKey,
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

/** The well-formed API key; 401 `unauthorized` for anything else, a cookie or another scheme included. */
function presentedSecret(header: string | undefined): string {
  if (header === undefined) throw new Rejection('unauthorized', 'an API key is required: Authorization: Bearer <API_KEY>');
  const secret = header.length <= MAX_HEADER_LENGTH ? /^bearer +([^ ]+)$/i.exec(header)?.[1] : undefined;
  if (secret === undefined || !isKeySecret(secret)) {
    throw new Rejection('unauthorized', 'the Authorization header does not hold one API key');
  }
  return secret;
}

export interface Principal {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly allowances: Allowances;
  /** As read at admission; commands and tools decide by these. */
  readonly billing: BillingFacts;
}

interface Admitted {
  /** The `Authorization` header; several of them, joined, are no credential. */
  readonly authorization: string | undefined;
  readonly surface: Surface;
  /** Null where any active key is enough. */
  readonly scope: Scope | null;
  /** Clock milliseconds. */
  readonly now: number;
}

interface Presented extends Admitted {
  /** Called once the minute and burst buckets are read, also exhausted ones and where the request is refused later. */
  readonly onAllowance?: OnAllowance;
  /** Sends the read together with the charge, for whom the request most likely is. It may not be called; its result is no admission. */
  readonly readAhead?: ((guess: Principal) => void) | undefined;
}

interface AdmissionParts {
  readonly rules: AdmissionRules;
  readonly chargeRequest: ChargeRequest;
  readonly lookAtKey: LookAtKey;
  readonly chargeUnits: ChargeUnits;
  readonly windowCounts: WindowCounts;
  /** Receives each secret that was admitted, by its hash. */
  readonly onUse: (sha256: string, now: number) => void;
  /** The cause of a 503, for the log only. */
  readonly onFailure: (error: unknown) => void;
}

export type Admission = ReturnType<typeof createAdmission>;
/** The same for REST and MCP. Throws a `Rejection` for each refusal. */
export function createAdmission(parts: AdmissionParts) {
  const { rules, chargeRequest, windowCounts } = parts;
  const lately = new AcceptedLately<Principal>();
  const lookUp = <Result>(ask: () => Promise<Result>) => failClosed(parts.onFailure, 'identity and limits', ask);
  const principalOf = (charged: ChargedKey | null, { surface, scope, now, onAllowance }: Omit<Presented, 'authorization'>): Principal => {
    if (charged === null) throw unauthorized('the API key is not known');
    const { identity, plan, charge } = charged;
    if (charge.kind !== 'refused' && 'states' in charge) onAllowance?.(charge.states);
    refuseByCharge(charge, identity);
    if (scope !== null && !identity.scopes.includes(scope)) throw new Rejection('forbidden', `the API key lacks the scope ${scope}`);
    const refused = billingRefusal(surface, { facts: identity, enforced: rules.billingEnforced, now });
    if (refused !== null) throw refused;
    const { accountId, keyId, scopes } = identity;
    return { accountId, keyId, scopes, allowances: rules.plans[plan], billing: identity };
  };
  return {
    /** Checks key, abuse limits, allowance, scope and billing, in this order (docs/interface.md). The input is read afterwards. */
    async admit({ authorization, surface, scope, now, onAllowance, readAhead }: Presented): Promise<Principal> {
      const sha256 = keySecretHash(presentedSecret(authorization));
      const guess = readAhead && lately.guess(sha256);
      // Bound to this request: it is called in the turn of another one, and its spans belong here.
      const ahead = guess && AsyncResource.bind(() => readAhead(guess));
      const charged = await lookUp(() => chargeRequest(sha256, now, ahead));
      lately.forget(sha256);
      const principal = principalOf(charged, { surface, scope, now, onAllowance });
      parts.onUse(sha256, now);
      if ('states' in charged!.charge) lately.accept(sha256, principal, charged!.charge.states);
      return principal;
    },
    /** Checks key, scope and billing of an admitted request once more, and charges nothing: what it was admitted by may have ended since. */
    async admitAgain({ authorization, surface, scope, now }: Admitted): Promise<Principal> {
      const sha256 = keySecretHash(presentedSecret(authorization));
      return principalOf(await lookUp(() => parts.lookAtKey(sha256, now)), { surface, scope, now });
    },
    /** Charges further units of minute and burst, all or none: the calls of a batch beyond the request itself. */
    async chargeUnits({ accountId, allowances }: Principal, units: number, now: number): Promise<readonly BucketState[]> {
      const charge = await lookUp(() => parts.chargeUnits(accountId, allowances, units, now));
      if (charge.kind === 'charged') return charge.states;
      throw limited('the allowance of the account has no room for all calls', charge.retryAfterSeconds);
    },
    /** Charges exports of this hour, after the input has been read; 0 charges nothing. `onAllowance` receives the result. */
    async chargeExport({ accountId, allowances }: Principal, units: number, now: number, onAllowance?: OnAllowance): Promise<void> {
      const bucket = exportBucket(allowances);
      const taken = await lookUp(() => windowCounts.take(accountId, [bucket], units, now));
      onAllowance?.(taken.kind === 'taken' ? taken.states : [{ bucket, remaining: 0, resetSeconds: taken.retryAfterSeconds }]);
      if (taken.kind === 'taken') return;
      throw limited('the exports of the account in this hour are used up', taken.retryAfterSeconds);
    },
  };
}

function refuseByCharge(charge: Charge, { revokedAt, accountStatus }: KeyIdentity): void {
  if (charge.kind === 'charged') return;
  if (charge.kind === 'exhausted') {
    const what = charge.by === 'allowance' ? 'the allowance of the account is used up' : 'the account sends more than any may';
    throw limited(what, charge.retryAfterSeconds);
  }
  if (revokedAt !== null) throw unauthorized('the API key is revoked');
  throw unauthorized(
    accountStatus === 'active' ? 'the API key is expired, or this secret of it was replaced' : 'the account of the API key is not active',
  );
}

const unauthorized = (message: string): Rejection => new Rejection('unauthorized', message);
const limited = (message: string, retryAfterSeconds: number): Rejection => new Rejection('rate_limited', message, { retryAfterSeconds });

/** Wraps admission in spans without any identity. */
export function tracedAdmission(admission: Admission, tracing: Tracing | null): Admission {
  if (tracing === null) return admission;
  const part = <Result>(name: string, attributes: SpanAttributes, ask: () => Promise<Result>): Promise<Result> =>
    tracing.part({ name, kind: 'internal', attributes }, ask);
  return {
    admit: (presented) => part('admit', { 'civic.surface': presented.surface }, () => admission.admit(presented)),
    admitAgain: (admitted) => part('admit again', { 'civic.surface': admitted.surface }, () => admission.admitAgain(admitted)),
    chargeUnits: (...asked) => part('charge units', {}, () => admission.chargeUnits(...asked)),
    chargeExport: (...asked) => part('charge export', {}, () => admission.chargeExport(...asked)),
  };
}

const MAX_KEYS = 10_000;

/**
 * Whose reads may run ahead of their charge: keys of which the last request was accepted, for as many requests as the allowance then had
 * left. So a caller who is refused makes the service read no more than one who is accepted.
 */
class AcceptedLately<Principal> {
  readonly #keys = new Map<string, { readonly principal: Principal; left: number }>();

  /** The principal that the key most likely still has. */
  guess(sha256: string): Principal | undefined {
    const known = this.#keys.get(sha256);
    if (known === undefined || known.left <= 0) return undefined;
    known.left -= 1;
    return known.principal;
  }

  accept(sha256: string, principal: Principal, states: readonly BucketState[]): void {
    if (this.#keys.size >= MAX_KEYS) this.#keys.delete(this.#keys.keys().next().value!);
    this.#keys.set(sha256, { principal, left: Math.min(...states.map(({ remaining }) => remaining)) });
  }

  forget(sha256: string): void {
    this.#keys.delete(sha256);
  }
}

/** The cause is for the log only. */
export async function failClosed<Result>(onFailure: (cause: unknown) => void, asked: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    onFailure(error);
    throw new Rejection('authentication_unavailable', `${asked} could not be looked up; try again later`);
  }
}

interface Asked {
  readonly principal: Principal;
  readonly requestId: string;
}
export const callerOf = ({ principal: { accountId, keyId }, requestId }: Asked) => ({ accountId, keyId, requestId });

interface AskedPage extends Pick<Asked, 'principal'> {
  readonly query: { readonly limit: number };
  readonly form: PageForm;
}

/** What the plan allows a page to hold, and its form. */
export function boundsOf({ query, principal: { allowances }, form }: AskedPage) {
  return { limit: Math.min(query.limit, allowances.maxPageSize, PAGE_CEILING), maxResponseBytes: allowances.maxResponseBytes, form };
}

/** Throws `response_too_large` beyond the allowance of the caller. */
export function jsonOf({ body, text }: JsonPage, { allowances: { maxResponseBytes } }: Principal): string | Buffer {
  const json = body ?? text;
  // A text of n characters is at most 3n bytes, so that most need no measuring.
  if (json.length * 3 > maxResponseBytes && Buffer.byteLength(json) > maxResponseBytes) {
    throw new Rejection('response_too_large', `the result is over ${maxResponseBytes} bytes; ask for less at once`);
  }
  return json;
}
