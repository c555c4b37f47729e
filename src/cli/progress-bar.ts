import type { CliContext } from './context.ts';

interface ProgressBar {
  /** An omitted `total` stays unchanged. Without any total, no percentage is shown. */
  readonly update: (done: number, total?: number) => void;
}

/** Unit in which the progress of a command counts. */
type Unit = 'events' | 'records' | 'sources' | 'bytes';

const REDRAW_MS = 100;
const LINE_MS = 5_000;
const CELLS = 20;
/** Moves the cursor to the first column and clears the line. The cursor stays on its line, so other lines are never overwritten. */
const CLEAR = '\r\u001b[K';

/**
 * Shows a progress bar on standard error while the work runs, and removes it before it returns. If standard error is not a terminal that can
 * clear a line, prints a line instead, every five seconds at most and only after progress.
 */
export async function withProgress<Result>(
  { stderr, examination }: Pick<CliContext, 'stderr' | 'examination'>,
  unit: Unit,
  work: (bar: ProgressBar) => Promise<Result>,
): Promise<Result> {
  const isBar = stderr.isTTY && examination.environment['TERM'] !== 'dumb';
  const started = performance.now();
  let [done, total, drawnAt, printed] = [0, 0, -Infinity, 0];
  const draw = (): void => {
    drawnAt = performance.now();
    const seconds = Math.round((drawnAt - started) / 1000);
    if (!isBar) {
      if (done === printed) return;
      printed = done;
      stderr.write(`${formatProgress({ unit, done, total, seconds })}\n`);
    } else if (stderr.writable) {
      const text = `${bar(done, total)}${formatProgress({ unit, done, total, seconds })}`;
      stderr.write(`${CLEAR}${text.slice(0, Math.max(1, (stderr.columns || 80) - 1))}`);
    }
  };
  if (isBar) draw();
  const timer = setInterval(draw, isBar ? 1000 : LINE_MS);
  try {
    return await work({
      update(now, of = total) {
        [done, total] = [now, of];
        if (isBar && performance.now() - drawnAt >= REDRAW_MS) draw();
      },
    });
  } finally {
    clearInterval(timer);
    if (isBar) {
      draw();
      stderr.write(CLEAR);
    }
  }
}

/** Passes the bytes through and shows their number as progress. `total` is 0 if it is unknown. */
export async function* countBytes(
  bytes: AsyncIterable<Uint8Array>,
  bar: ProgressBar,
  total: number,
): AsyncGenerator<Uint8Array> {
  let bytesRead = 0;
  bar.update(bytesRead, total);
  for await (const chunk of bytes) {
    bytesRead += chunk.length;
    bar.update(bytesRead);
    yield chunk;
  }
}

const share = (done: number, total: number): number => Math.min(1, done / total);

function bar(done: number, total: number): string {
  const filled = total > 0 ? Math.floor(share(done, total) * CELLS) : 0;
  return `[${'#'.repeat(filled)}${'-'.repeat(CELLS - filled)}] `;
}

interface Progress {
  readonly unit: Unit;
  readonly done: number;
  /** 0 while it is unknown. */
  readonly total: number;
  readonly seconds: number;
}

function formatProgress({ unit, done, total, seconds }: Progress): string {
  const of =
    total > 0 ? `${Math.floor(share(done, total) * 100)} % of ${formatAmount(total, unit)}` : formatAmount(done, unit);
  const remaining =
    total > 0 && done > 0 ? `, ${formatDuration((seconds / done) * Math.max(0, total - done))} left` : '';
  return `${of}, ${formatDuration(seconds)}${remaining}`;
}

const MEGABYTE = 1_000_000;
const formatAmount = (count: number, unit: Unit): string =>
  unit === 'bytes'
    ? `${(count / MEGABYTE).toFixed(1)} MB`
    : `${count.toLocaleString('en-US')} ${count === 1 ? unit.slice(0, -1) : unit}`;

function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
