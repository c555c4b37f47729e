import type { Scope } from '../domain/events/account-events.ts';
import type { KeyIdentity } from '../domain/identity.ts';
import type { BillingFacts } from '../domain/plans.ts';
import { isKeySecret, keySecretHash } from '../domain/key-secret.ts';
import { Rejection } from '../domain/rejections.ts';
import { type Allowances, DEFAULT_ALLOWANCES } from './allowances.ts';

/** Who is admitted, and what the account may have at once. */
export interface Principal {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly allowances: Allowances;
  /** As read at admission: what a command or a tool needs of billing is judged by these. */
  readonly billing: BillingFacts;
}

export interface Presented {
  /** Every `Authorization` header of the request; more than one is no credential. */
  readonly authorization: readonly string[] | undefined;
  /** What the operation needs; null where any active key will do. */
  readonly scope: Scope | null;
  /** Clock milliseconds. */
  readonly now: number;
}

export interface AdmissionParts {
  /** Whose key has this SHA-256; throws when that cannot be told. */
  readonly resolveKey: (sha256: string) => Promise<KeyIdentity | null>;
  /** The cause of a 503, which the caller is not told. */
  readonly onLookupFailure: (error: unknown) => void;
}

export type Admit = (presented: Presented) => Promise<Principal>;

/**
 * Admits a request or throws the `Rejection` that answers it. The steps stand in the order in which they must be taken, and every charge
 * and gate has its place between two of them: abuse counters after the identity is known and before it is judged, allowances before the
 * scope, billing after it.
 */
export const createAdmission =
  (parts: AdmissionParts): Admit =>
  async ({ authorization, scope, now }) => {
    const secret = secretOf(authorization);
    const identity = await lookUp(parts, keySecretHash(secret));
    requireUsable(identity, now);
    requireScope(identity, scope);
    return {
      accountId: identity.accountId,
      keyId: identity.keyId,
      scopes: identity.scopes,
      allowances: DEFAULT_ALLOWANCES,
      billing: identity,
    };
  };

const LONGEST_HEADER = 256;
const secretOf = (authorization: readonly string[] | undefined): string => {
  const [header, ...further] = authorization ?? [];
  if (header === undefined) throw unauthorized('an API key is required: Authorization: Bearer <API_KEY>');
  const secret = header.length <= LONGEST_HEADER && further.length === 0 ? /^bearer +([^ ]+)$/i.exec(header)?.[1] : undefined;
  if (secret === undefined || !isKeySecret(secret)) throw unauthorized('the Authorization header does not hold one API key');
  return secret;
};

const lookUp = async ({ resolveKey, onLookupFailure }: AdmissionParts, sha256: string): Promise<KeyIdentity> => {
  let identity: KeyIdentity | null;
  try {
    identity = await resolveKey(sha256);
  } catch (error) {
    onLookupFailure(error);
    throw new Rejection('authentication_unavailable', 'identity could not be looked up; try again later');
  }
  if (identity === null) throw unauthorized('the API key is not known');
  return identity;
};

const requireUsable = (identity: KeyIdentity, now: number): void => {
  if (identity.revokedAt !== null) throw unauthorized('the API key is revoked');
  if (identity.expiresAt !== null && identity.expiresAt <= now) throw unauthorized('the API key is expired');
  if (identity.accountStatus !== 'active') throw unauthorized('the account of the API key is not active');
};

const requireScope = (identity: KeyIdentity, scope: Scope | null): void => {
  if (scope !== null && !identity.scopes.includes(scope)) throw new Rejection('forbidden', `the API key lacks the scope ${scope}`);
};

const unauthorized = (message: string): Rejection => new Rejection('unauthorized', message);
