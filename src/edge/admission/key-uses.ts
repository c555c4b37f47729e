/** Stores that the secret with this hash was used. `at` is clock milliseconds. Of two uses within an hour, the first may count. */
type StoreKeyUse = (sha256: string, at: number) => Promise<void>;

const EVERY_MS = 60 * 60_000;
const AGAIN_AFTER_FAILURE_MS = 60_000;
const MAX_SECRETS = 10_000;

/** Stores the use of a secret at most once an hour, beside the request, which does not wait for it and does not fail by it. */
export function createKeyUses(store: StoreKeyUse, onFailure: (error: unknown) => void) {
  const storedAt = new Map<string, number>();
  return (sha256: string, now: number): void => {
    const last = storedAt.get(sha256);
    // A clock that was put back stores again.
    if (last !== undefined && Math.abs(now - last) < EVERY_MS) return;
    if (storedAt.size >= MAX_SECRETS) storedAt.clear();
    storedAt.set(sha256, now);
    store(sha256, now).catch((error: unknown) => {
      storedAt.set(sha256, now - EVERY_MS + AGAIN_AFTER_FAILURE_MS);
      onFailure(error);
    });
  };
}
