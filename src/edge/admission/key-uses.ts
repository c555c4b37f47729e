/**
 * Stores the time of use (clock milliseconds) of the secret with this hash. Only the first of two uses within an hour
 * might count.
 */
type StoreKeyUse = (sha256: string, at: number) => Promise<void>;

const EVERY_MS = 60 * 60_000;
const AGAIN_AFTER_FAILURE_MS = 60_000;
const MAX_SECRETS = 10_000;

/** Stores the use of a secret at most once an hour. The request neither waits for it nor fails with it. */
export function createKeyUses(store: StoreKeyUse, onFailure: (error: unknown) => void) {
  const storedAt = new Map<string, number>();
  return (sha256: string, now: number): void => {
    const last = storedAt.get(sha256);
    // The absolute difference also covers a clock that was set back.
    if (last !== undefined && Math.abs(now - last) < EVERY_MS) return;
    if (storedAt.size >= MAX_SECRETS) storedAt.clear();
    storedAt.set(sha256, now);
    store(sha256, now).catch((error: unknown) => {
      storedAt.set(sha256, now - EVERY_MS + AGAIN_AFTER_FAILURE_MS);
      onFailure(error);
    });
  };
}
