import { Presets, SingleBar } from 'cli-progress';

export interface ProgressBar {
  readonly update: (done: number, total?: number) => void;
}

/** Shows a progress bar on a terminal until the work has ended; prints nothing to another stream. */
export async function withProgress<Result>(
  stream: NodeJS.WriteStream,
  unit: string,
  work: (bar: ProgressBar) => Promise<Result>,
): Promise<Result> {
  if (!stream.isTTY) return work({ update: () => undefined });
  const format = `{bar} {percentage}% {value}/{total} ${unit} {duration_formatted} left {eta_formatted}`;
  const bar = new SingleBar({ stream, format, hideCursor: true, clearOnComplete: true, emptyOnZero: true }, Presets.shades_classic);
  bar.start(0, 0);
  try {
    return await work({
      update: (done, total = bar.getTotal()) => {
        bar.setTotal(total);
        bar.update(done);
      },
    });
  } finally {
    bar.stop();
  }
}
