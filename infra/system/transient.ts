/** A failure that is worth a retry. `retryAfter` is the wait that the source requires, in milliseconds. */
export class Transient extends Error {
  override readonly name = 'Transient';
  readonly retryAfter: number;

  constructor(message: string, retryAfter = 0) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Converts a `Retry-After` header, in seconds or as a date, to milliseconds. Returns 0 for any other text. */
export function retryAfterMilliseconds(header: string | null, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  return Math.max(0, (Date.parse(text) || now) - now);
}

/** Describes an error of `fetch` so that it can be published. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // Prefer the code, such as ECONNREFUSED: the reason is published, and a message might contain an address.
  const detail = cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : null;
  return detail === null ? error.message : `${error.message} (${detail})`;
}
