import type { Civic } from '../civic.ts';
import { LOG_START } from '../domain/ports/event-log.ts';
import type { Generation } from '../domain/ports/generations.ts';
import { type CliContext, CommandFailed } from './context.ts';
import { progressBar } from './progress-bar.ts';

const FOLLOW_MS = 100;
/** So long a rebuild may lie unowned beside a running service before this process takes it: that one may be of another version. */
const UNOWNED_MS = 6_000;

/** Follows a rebuild until it has come to what is waited for. Where no service folds, this process does. Throws `CommandFailed` with what stands in the way. */
export const followRebuild = async (
  context: CliContext,
  civic: Civic,
  building: Generation,
  isDone: (row: Generation) => boolean,
): Promise<Generation> => {
  const bar = progressBar(context.stderr, 'events');
  const { leaseClock } = civic.projectorDependencies;
  let ownedAt = leaseClock.now();
  let ownedElsewhere = false;
  try {
    for (;;) {
      const rows = await civic.generations.list();
      const row = rows.find(({ generation }) => generation === building.generation);
      if (row !== undefined && row.operatorPausedAt === null && isDone(row)) return row;
      refuseStopped(building.projection, row);
      const now = leaseClock.now();
      const isOwned = ({ owner, leaseUntil }: Generation) => owner !== null && leaseUntil >= now;
      if (isOwned(row!)) ownedAt = now;
      ownedElsewhere = rows.some((other) => isOwned(other) && other.owner !== civic.projectorDependencies.owner);
      if (!rows.some((other) => other.state === 'live' && isOwned(other)) || now - ownedAt > UNOWNED_MS) civic.startProjector();
      const head = await civic.log.head();
      bar.update(civic.log.distance(LOG_START, row!.checkpoint) ?? row!.folded, civic.log.distance(LOG_START, head) ?? undefined);
      await civic.clock.sleep(FOLLOW_MS, context.stopping);
    }
  } catch (error) {
    if (!context.stopping.aborted) throw error;
    const goesOn = ownedElsewhere
      ? 'the service goes on with it'
      : 'it goes on where it is with the next start of the service, or with the same command';
    throw new CommandFailed(`the rebuild of ${building.projection} is not followed any more; ${goesOn}`, 130);
  } finally {
    bar.stop();
  }
};

const refuseStopped = (name: string, row: Generation | undefined): void => {
  if (row === undefined || row.state === 'retired') throw new CommandFailed(`the rebuild of ${name} was given up`);
  if (row.state === 'refused') {
    throw new CommandFailed(
      `the rebuild of ${name} was refused: ${row.pausedReason ?? ''}; \`civic projections compare ${name}\` names the tables and rows`,
    );
  }
  if (row.operatorPausedAt !== null) {
    throw new CommandFailed(`the rebuild of ${name} is paused by an operator; \`civic projections resume ${name}\` lets it go on`);
  }
  if (row.pausedReason !== null) {
    throw new CommandFailed(`the rebuild of ${name} is paused at event ${row.pausedEvent ?? '?'}: ${row.pausedReason}`);
  }
};

/** Resolves once the read model has a live generation to build beside. */
export const untilLive = async (context: CliContext, civic: Civic, name: string): Promise<void> => {
  while (!(await civic.generations.list()).some(({ projection, state }) => projection === name && state === 'live')) {
    civic.startProjector();
    await civic.clock.sleep(FOLLOW_MS, context.stopping);
  }
};
