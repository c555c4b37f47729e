import { type EraseContent, eraseContent } from '../../commands/erasure/erase-content.ts';
import { createErasureTraces } from '../../infra/postgresql/erasure-traces.ts';
import type { Erasing } from '../civic.ts';
import type { Identifiers } from '../domain/identifiers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Transactor } from '../domain/ports/database.ts';
import type { Progress } from '../domain/ports/projection.ts';
import type { Reactor } from '../domain/ports/reactors.ts';
import { createErasureReactor } from '../reactors/erasures/clear-traces.ts';
import { PROJECTIONS } from '../read-models.ts';
import type { OpenLog } from './open-stores.ts';

export interface ErasingParts {
  readonly log: OpenLog;
  readonly clock: Clock;
  readonly chainClock: Clock;
  readonly identifiers: Identifiers;
  readonly transactor: Transactor;
  /** Of the read models' database. */
  readonly url: string;
  readonly progress: Progress;
}

const DEADLINE_MS = 600_000;

/** What an operator erases by, and what goes on by itself where the operator's own process ends too early. */
export const createErasing = (parts: ErasingParts): { readonly erasing: Erasing; readonly reactor: Reactor } => {
  const { log, clock, chainClock, identifiers, transactor, url, progress } = parts;
  const traces = createErasureTraces(transactor, url);
  return {
    erasing: {
      erase: (command: EraseContent) => eraseContent({ log, clock, identifiers, deadlineMs: DEADLINE_MS }, command),
      clearTraces: (streams) => traces.clear(streams, chainClock.now()),
      reclaim: () => traces.reclaim(),
    },
    reactor: createErasureReactor({ traces, progress, clock, chainClock, readModels: PROJECTIONS.map(({ name }) => name) }),
  };
};
