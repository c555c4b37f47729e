/**
 * A percent-encoded text as it was before; null where it is no percent-encoded UTF-8. Compare the result: the bundler leaves out a call of
 * `decodeURIComponent` whose result is not used, with the error that it may throw.
 */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
