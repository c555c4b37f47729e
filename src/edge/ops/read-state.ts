import type { Clock } from '../../../domain/ports/clock.ts';
import type { Watched } from './operations-watch.ts';
import type { OpsState } from './ops-state.ts';
import type { ProcessState } from './process-state.ts';
import { problemsOf } from './problems.ts';
import { sharedState } from './shared-state.ts';

export interface OpsStateParts {
  readonly watch: () => Promise<Watched>;
  readonly ofProcess: Pick<ProcessState, 'read'>;
  /** The machine's. */
  readonly clock: Pick<Clock, 'now'>;
}

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Answers `GET /ops/state`; never fails and never waits long, whatever the database does. Viewers of one second share an answer. */
export function createReadOpsState({ watch, ofProcess, clock }: OpsStateParts): () => Promise<OpsState> {
  let asked: Promise<OpsState> | undefined;
  const read = async (): Promise<OpsState> => {
    const { reachable, since, newest } = await watch();
    const database = { state: reachable, since: since === null ? null : isoOf(since) };
    const shared = newest === null ? null : sharedState(newest.operations, newest.rates, newest.at);
    return { at: isoOf(clock.now()), problems: [...problemsOf({ database, shared })], database, shared, process: ofProcess.read() };
  };
  return () => {
    asked ??= read().finally(() => (asked = undefined));
    return asked;
  };
}
