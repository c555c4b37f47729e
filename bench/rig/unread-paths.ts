/**
 * Returns a function that makes one path per reader. Each path has another page size, up to a tenth below `limit`, so that most pages are read
 * for the first time.
 */
export function unreadPaths(path: string, limit: number, readers: number): () => readonly string[] {
  let paths = 0;
  const next = (): string => `${path}?limit=${limit - (paths++ % Math.ceil(limit / 10))}`;
  return () => Array.from({ length: readers }, next);
}
