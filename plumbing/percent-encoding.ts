/** Decodes a percent-encoded text; null if it is not percent-encoded UTF-8. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
