import type { CliContext } from './context.ts';

interface ProgressBar {
  /** `total` stays as it was given last; without one, no share is shown. */
  readonly update: (done: number, total?: number) => void;
}

/** What the progress of a command counts. */
type Unit = 'events' | 'records' | 'bytes';

const REDRAW_MS = 100;
const LINE_MS = 5_000;
const CELLS = 20;
/** To the first column, and clear the line. The cursor stays on its line, so that other lines are never overwritten. */
const CLEAR = '\r\u001b[K';

/**
 * Shows a progress bar while the work runs on a terminal that can clear a line, and ends it before the result is known; else prints a
 * line every five seconds. Both are on standard error.
 */
export async function withProgress<Result>(
  { stderr, examination }: Pick<CliContext, 'stderr' | 'examination'>,
  unit: Unit,
  work: (bar: ProgressBar) => Promise<Result>,
): Promise<Result> {
  const isBar = stderr.isTTY && examination.environment['TERM'] !== 'dumb';
  const started = performance.now();
  let [done, total, drawnAt] = [0, 0, -Infinity];
  const draw = (): void => {
    drawnAt = performance.now();
    const seconds = Math.round((drawnAt - started) / 1000);
    if (!isBar) stderr.write(`${progressText({ unit, done, total, seconds })}\n`);
    else if (stderr.writable) {
      const text = `${bar(done, total)}${progressText({ unit, done, total, seconds })}`;
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

/** The same bytes; their number so far is the progress. `total` is 0 where it is not known. */
export async function* counted(bytes: AsyncIterable<Uint8Array>, bar: ProgressBar, total: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  bar.update(read, total);
  for await (const chunk of bytes) {
    read += chunk.length;
    bar.update(read);
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
  /** 0 while it is not known. */
  readonly total: number;
  readonly seconds: number;
}

function progressText({ unit, done, total, seconds }: Progress): string {
  const of = total > 0 ? `${Math.floor(share(done, total) * 100)} % of ${amount(total, unit)}` : amount(done, unit);
  const left = total > 0 && done > 0 ? `, ${duration((seconds / done) * Math.max(0, total - done))} left` : '';
  return `${of}, ${duration(seconds)}${left}`;
}

const MEGABYTE = 1_000_000;
const amount = (count: number, unit: Unit): string =>
  unit === 'bytes' ? `${(count / MEGABYTE).toFixed(1)} MB` : `${count.toLocaleString('en-US')} ${unit}`;

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
