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
  const bar = new SingleBar(
    {
      stream,
      format: `{bar} {percentage}% {value}/{total} ${unit} {duration_formatted} left {eta_formatted}`,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  let started = false;
  const update = (done: number, total?: number): void => {
    if (!started) bar.start(total ?? 0, done);
    else {
      if (total !== undefined) bar.setTotal(total);
      bar.update(done);
    }
    started = true;
  };
  try {
    return await work({ update });
  } finally {
    if (started) bar.stop();
  }
}
