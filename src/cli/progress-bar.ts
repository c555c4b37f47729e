import { Presets, SingleBar } from 'cli-progress';

export interface ProgressBar {
  update(done: number, total?: number): void;
  stop(): void;
}

/** A progress bar on a terminal; nothing at all where the stream is none. */
export const progressBar = (stream: NodeJS.WriteStream, unit: string): ProgressBar => {
  if (!stream.isTTY) return { update: () => undefined, stop: () => undefined };
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
  return {
    update(done, total) {
      if (started) {
        if (total !== undefined) bar.setTotal(total);
        bar.update(done);
      } else {
        bar.start(total ?? 0, done);
        started = true;
      }
    },
    stop() {
      if (started) bar.stop();
    },
  };
};
