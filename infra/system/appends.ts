import type { StreamAppend } from '../../domain/ports/event-log.ts';

export function checkAppends(appends: readonly StreamAppend[]): void {
  if (new Set(appends.map(({ stream }) => stream)).size < appends.length)
    throw new TypeError('a stream occurs twice in one batch of appends');
  if (appends.some(({ events }) => events.length === 0)) throw new TypeError('an append needs at least one event');
}

/** Appends each one separately. Waits for all of them, then throws the first error. */
export async function appendSeparately<Outcome>(
  appends: readonly StreamAppend[],
  append: (each: StreamAppend) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const settled = await Promise.allSettled(appends.map(append));
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}
