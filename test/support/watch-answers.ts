/** Requests each address repeatedly until it is stopped. Times in milliseconds. */
export function watchAnswers(urls: readonly string[]) {
  const times: number[] = [];
  const stopping = new AbortController();
  const statuses = new Set<number>();
  const watch = async (url: string) => {
    while (!stopping.signal.aborted) {
      const began = performance.now();
      const answer = await fetch(url);
      await answer.arrayBuffer();
      statuses.add(answer.status);
      times.push(performance.now() - began);
    }
  };
  const all = Promise.all(urls.map(watch));
  return async () => {
    stopping.abort();
    await all;
    const ascending = times.toSorted((left, right) => left - right);
    return {
      longestMs: ascending.at(-1)!,
      p99Ms: ascending[Math.ceil(ascending.length * 0.99) - 1]!,
      statuses: [...statuses],
    };
  };
}
