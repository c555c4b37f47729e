/** The embedded database cannot or must not be used: `message` is one line for the person at the terminal and says what to do. */
export class EmbeddedDatabaseRefused extends Error {
  override readonly name = 'EmbeddedDatabaseRefused';
}

/** The code of a system error (`ENOSPC`, `EACCES`, …), or an empty text for anything else. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
