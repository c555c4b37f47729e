import type { Reactor } from '../domain/ports/reactors.ts';
import type { Tracing } from '../domain/ports/tracing.ts';
import { type ReactorRunDependencies, runReactor } from '../reactors/run-reactor.ts';
import { traceReactor } from './open-traces.ts';

/** Runs reactors, and what goes on beside them, until the program is closed. */
export const createUntilClosed =
  (deps: ReactorRunDependencies, tracing: Tracing | null, closers: (() => Promise<unknown>)[]) =>
  (reactors: readonly Reactor[], beside: (signal: AbortSignal) => Promise<void> = async () => undefined): void => {
    const stopping = new AbortController();
    const running = reactors.map((reactor) => runReactor(deps, traceReactor(reactor, tracing), stopping.signal));
    const others = beside(stopping.signal);
    closers.push(async () => {
      stopping.abort();
      await Promise.all([...running, others]);
    });
  };
