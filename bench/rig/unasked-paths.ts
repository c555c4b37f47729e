/**
 * Paths by reader, the next ones at each call: since each asks for pages of another size, the service reads each page for the first time in
 * some turns. Sizes lie up to a tenth below `limit`.
 */
export function unaskedPaths(path: string, limit: number, readers: number): () => readonly string[] {
  let asked = 0;
  const next = (): string => `${path}?limit=${limit - (asked++ % Math.ceil(limit / 10))}`;
  return () => Array.from({ length: readers }, next);
}
