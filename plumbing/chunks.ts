/** Yields the items in order, in arrays of `size` items; the last one might have fewer. */
export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[], void, undefined> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
