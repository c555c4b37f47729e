import { CommandFailed } from './context.ts';

export interface StopSignals {
  /** Aborts at the first SIGTERM or SIGINT. */
  readonly stopping: AbortSignal;
  /** Aborts at the second one. */
  readonly hurrying: AbortSignal;
}

/** Listens for SIGTERM and SIGINT. Call it first: the kernel discards a signal that process 1 of a container does not handle yet. */
export function listenForStopSignals(process: Pick<NodeJS.Process, 'on'>): StopSignals {
  const [stopping, hurrying] = [new AbortController(), new AbortController()];
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () =>
      (stopping.signal.aborted ? hurrying : stopping).abort(new CommandFailed(`stopped by ${signal}`, 130)),
    );
  }
  return { stopping: stopping.signal, hurrying: hurrying.signal };
}
