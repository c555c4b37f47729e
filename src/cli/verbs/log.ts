import { createHash } from 'node:crypto';
import type { Command } from '@commander-js/extra-typings';
import { type EventLog, LOG_START, type Position } from '../../../domain/ports/event-log.ts';
import { type LogMove, type PlacePair, StillHeld } from '../../../domain/ports/stores.ts';
import type { Civic } from '../../app/civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { comparedEvents, copyEvents, eventsOf, type Watched } from '../log-copy/copy-events.ts';
import { warn } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { runs } from '../verb.ts';

export function addLogCommands(program: Command, context: CliContext): void {
  const copy = program
    .command('log')
    .description('copy the log to another store')
    .command('copy')
    .description(
      'copy the log to another store: copies missing events, compares every event, then switches the read models to it',
    )
    .requiredOption('--to <address>', 'esdb://… or kurrentdb://…, or postgresql for the database of the read models')
    .addHelpText(
      'after',
      '\nWhile a service runs, the command copies but does not switch: stop every process of the service and run it again. It resumes where it stopped.',
    );
  runs(context, 'log', copy, async (civic, { to }) => {
    const target = await civic.openOtherLog(to).catch((error: unknown) => {
      throw new CommandFailed(`--to cannot be opened: ${(error as Error).message}`);
    });
    try {
      if ((await target.identity()) === (await civic.log.identity()))
        throw new CommandFailed('the service already uses this log');
      const role = civic.settings.EVENTSTORE_URL === undefined ? 'source' : to === 'postgresql' ? 'target' : 'neither';
      const moved = await withProgress(context, 'events', async (bar) => {
        bar.update(0, civic.log.distance(LOG_START, await civic.log.head()) ?? 0);
        return moveLog(civic, target, role, { signal: context.stopping, onProgress: bar.update });
      });
      if (!moved.switched) {
        warn(
          context,
          `not switched yet: ${moved.heldBy.join(', ')} still use the old log; stop every process of the service and run this again`,
        );
      }
      return moved;
    } finally {
      await target.close();
    }
  });
}

/** Copies the log in use. Once no process follows it, compares both and moves every read model and reactor to the target. */
async function moveLog(civic: Civic, target: EventLog, role: LogMove['role'], watched: Watched) {
  const { log: source, logMoves: moves, leaseClock } = civic;
  let total = { found: 0, copied: 0 };
  const copyOn = async (): Promise<void> => {
    const { present, copied } = await copyEvents(eventsOf(source, watched.signal), target, watched);
    total = { found: total.copied === 0 ? present : total.found, copied: total.copied + copied };
  };
  await copyOn();
  const stillHeld = (heldBy: readonly string[]) => ({ ...total, events: null, digest: null, switched: false, heldBy });
  for (;;) {
    const heldBy = await moves.listOwned(leaseClock.now());
    if (heldBy.length > 0) return stillHeld(heldBy);
    const compared = await compareLogs(civic, target, watched);
    const { events, digest } = compared;
    try {
      if (await switchTo(civic, target, role, compared))
        return { ...total, events, digest, switched: true, heldBy: [] };
    } catch (error) {
      if (error instanceof StillHeld) return stillHeld(error.message.split(', '));
      throw error;
    }
    if ((await source.head()) === compared.end) throw new CommandFailed('the source changed and did not grow');
    await copyOn();
  }
}

type Compared = Awaited<ReturnType<typeof compareLogs>>;

/** The digest is the SHA-256 over all events without positions. Throws `CommandFailed` where the logs differ. */
async function compareLogs({ log: source, logMoves, projections }: Civic, target: EventLog, watched: Watched) {
  const identity = await source.identity();
  const checkpoints = new Set(identity === null ? [] : await logMoves.checkpoints(identity));
  const withPositions = projections.filter((projection) => projection.positionColumns !== undefined);
  const wantedTypes = new Set(withPositions.flatMap(({ handles }) => handles));
  const hash = createHash('sha256');
  const places = new Map<Position, Position>();
  const pairs: PlacePair[] = [];
  let events = 0;
  let end = LOG_START;
  const remedy = 'copy again, into an empty target if this stays';
  for await (const { event, stored, line } of comparedEvents(
    eventsOf(source, watched.signal),
    target,
    watched,
    remedy,
  )) {
    hash.update(line);
    events += 1;
    end = event.position;
    if (checkpoints.has(event.position)) places.set(event.position, stored.position);
    if (wantedTypes.has(event.type)) pairs.push([event.position, stored.position]);
  }
  return { events, digest: hash.digest('hex'), end, places, pairs };
}

async function switchTo(
  civic: Civic,
  target: EventLog,
  role: LogMove['role'],
  { end, places, pairs }: Compared,
): Promise<boolean> {
  const { log: source, logMoves: moves, projections, leaseClock } = civic;
  const [from, to] = await Promise.all([source.identity(), target.identity()]);
  if (from === null || to === null) throw new CommandFailed('there is nothing to copy: the log is empty');
  const columns = (await moves.generations(from)).flatMap(
    ({ projection, generation }) =>
      projections.find(({ name }) => name === projection)?.positionColumns?.(generation) ?? [],
  );
  const isComplete = async (): Promise<boolean> => (await source.head()) === end;
  return await moves.move({ from, to, places, columns, pairs, role, now: leaseClock.now(), isComplete });
}
