const MIN_PAUSE_MS = 60_000;
/** Maximum share of the time that is spent on rewriting, approximately. */
const SHARE = 1 / 50;

/** Limits how often a mirror that follows the feed rewrites its files. The function skips the work until the pause has passed, unless `now`. */
export function createRewritingPace(): (now: boolean, rewrite: () => Promise<void>) => Promise<void> {
  let next = 0;
  return async (now, rewrite) => {
    const started = performance.now();
    if (!now && started < next) return;
    await rewrite();
    const ended = performance.now();
    next = ended + Math.max(MIN_PAUSE_MS, (ended - started) / SHARE);
  };
}
