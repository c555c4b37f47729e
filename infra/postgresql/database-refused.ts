/** The database cannot be used as it is. The message is one line that says why and what to do. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}
