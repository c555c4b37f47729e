import type { Civic } from '../app/civic.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import type { Generation } from '../../domain/ports/generations.ts';
import { isLeased } from '../../plumbing/while-leased.ts';
import { type CliContext, CommandFailed } from './context.ts';
import { withProgress } from './progress-bar.ts';

const FOLLOW_MS = 100;
/** Milliseconds without an owner after which this process takes over the rebuild; a running service might have another version. */
const UNOWNED_MS = 6_000;

/** Waits until a rebuild is done, and folds in this process if no service does. Throws `CommandFailed` if it is paused, refused or canceled. */
export const followRebuild = (
  context: CliContext,
  civic: Civic,
  building: Generation,
  isDone: (row: Generation) => boolean,
): Promise<Generation> =>
  withProgress(context, 'events', async (bar) => {
    const { leaseClock } = civic;
    let ownedAt = leaseClock.now();
    let ownedElsewhere = false;
    try {
      for (;;) {
        const rows = await civic.generations.list();
        const row = rows.find(({ generation }) => generation === building.generation);
        if (row !== undefined && row.operatorPausedAt === null && isDone(row)) return row;
        requireRunning(building.projection, row);
        const now = leaseClock.now();
        if (isLeased(row!, now)) ownedAt = now;
        ownedElsewhere = rows.some((other) => isLeased(other, now) && other.owner !== civic.owner);
        if (!rows.some((other) => other.state === 'live' && isLeased(other, now)) || now - ownedAt > UNOWNED_MS)
          civic.startProjector();
        const head = await civic.log.head();
        bar.update(
          civic.log.distance(LOG_START, row!.checkpoint) ?? row!.folded,
          civic.log.distance(LOG_START, head) ?? undefined,
        );
        await civic.clock.sleep(FOLLOW_MS, context.stopping);
      }
    } catch (error) {
      if (!context.stopping.aborted) throw error;
      const next = ownedElsewhere
        ? 'the service continues it'
        : 'the next start of the service or the same command continues it';
      throw new CommandFailed(`the rebuild of ${building.projection} is no longer followed; ${next}`, 130);
    }
  });

function requireRunning(name: string, row: Generation | undefined): void {
  const stopped = row === undefined ? 'was cancelled' : explainStop(name, row);
  if (stopped !== null) throw new CommandFailed(`the rebuild of ${name} ${stopped}`);
}

function explainStop(name: string, { state, operatorPausedAt, pausedReason, pausedEvent }: Generation): string | null {
  if (state === 'retired') return 'was cancelled';
  if (state === 'refused')
    return `was refused: ${pausedReason ?? ''}; \`civic projections compare ${name}\` names the tables and rows`;
  if (operatorPausedAt !== null) return `is paused by an operator; \`civic projections resume ${name}\` continues it`;
  return pausedReason === null ? null : `is paused at event ${pausedEvent ?? '?'}: ${pausedReason}`;
}

/** Resolves once the read model has a live generation. */
export async function waitUntilLive(context: CliContext, civic: Civic, name: string): Promise<void> {
  while (!(await civic.generations.list()).some(({ projection, state }) => projection === name && state === 'live')) {
    civic.startProjector();
    await civic.clock.sleep(FOLLOW_MS, context.stopping);
  }
}
