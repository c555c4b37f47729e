const MIN_PAUSE_MS = 60_000;
/** Rewriting takes at most about this part of the time. */
const SHARE = 1 / 50;

/** Keeps a mirror that follows the feed from rewriting its files too often: the function puts the work off, unless `now`, until the pause has passed. */
export function rewritingPace(): (now: boolean, rewrite: () => Promise<void>) => Promise<void> {
  let next = 0;
  return async (now, rewrite) => {
    const started = performance.now();
    if (!now && started < next) return;
    await rewrite();
    const ended = performance.now();
    next = ended + Math.max(MIN_PAUSE_MS, (ended - started) / SHARE);
  };
}
