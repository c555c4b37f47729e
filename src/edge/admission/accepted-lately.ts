import type { BucketState } from '../../../domain/ports/counts.ts';

const MAX_KEYS = 10_000;

/**
 * Whose reads may run ahead of their charge: keys of which the last request was accepted, for as many requests as the allowance then had
 * left. So a caller who is refused makes the service read no more than one who is accepted.
 */
export class AcceptedLately<Principal> {
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
