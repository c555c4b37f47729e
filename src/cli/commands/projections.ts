import type { Command } from 'commander';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { PROJECTION_EVENT_SKIPPED } from '../../domain/events/feed-events.ts';
import { eventId } from '../../domain/identifiers.ts';
import { LOG_START, NO_STREAM } from '../../domain/ports/event-log.ts';
import { projectionStream } from '../../domain/streams.ts';
import { verifyProjection } from '../../../projections/projector/verify-projection.ts';
import { listProjections, type ProjectionStatus } from '../../../queries/list-projections.ts';
import { chosenProjections } from '../choose-projection.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { untilLive } from '../follow-rebuild.ts';
import { print } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { withCivic } from '../with-civic.ts';
import { addRebuildCommands } from './rebuilds.ts';

interface Options {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly event?: string;
  readonly reason?: string;
}

export const addProjectionsCommands = (program: Command, context: CliContext): void => {
  const projections = program.command('projections').description('look at, rebuild and verify the read models');
  projections
    .command('list [name]')
    .description('lag, state, owner and pace of every read model, and how far its rebuild is')
    .option('--json', 'print one JSON value')
    .action((name: string | undefined, options: Options) => runList(context, name, options));
  addRebuildCommands(projections, context);
  projections
    .command('verify [name]')
    .description('build a scratch copy and compare it with the live read model, row by row')
    .option('--all', 'every read model')
    .option('--json', 'print one JSON value')
    .action((name: string | undefined, options: Options) => runVerify(context, name, options));
  projections
    .command('retry <name>')
    .description('let a paused read model try its event again')
    .option('--json', 'print one JSON value')
    .action((name: string, options: Options) => runResume(context, name, options, null));
  projections
    .command('skip <name>')
    .description('have a paused read model leave out the event that it cannot fold; every rebuild honours it')
    .requiredOption('--event <id>', 'the event id that `projections list` shows')
    .requiredOption('--reason <text>', 'why it may be left out')
    .option('--json', 'print one JSON value')
    .action((name: string, options: Options) => runResume(context, name, options, { eventId: options.event!, reason: options.reason! }));
};

const runList = (context: CliContext, name: string | undefined, options: Options): Promise<void> =>
  withCivic(context, { projector: false }, async (civic) => {
    const names = chosenProjections(civic, name, name === undefined).map((projection) => projection.name);
    const listed = (await listProjections(civic.listing)).filter((status) => name === undefined || names.includes(status.name));
    print(context, options.json === true ? listed : listed.map(forAPerson), options);
  });

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10);
const time = (milliseconds: number | null): string | null => (milliseconds === null ? null : new Date(milliseconds).toISOString());

const forAPerson = (status: ProjectionStatus) => ({
  name: status.name,
  generation: status.generation,
  version: status.version,
  state: status.state,
  since: time(status.since),
  folded: status.folded,
  perSecond: rounded(status.rate),
  lagEvents: status.lagEvents,
  lagSeconds: rounded(status.lagSeconds),
  leftEvents: status.leftEvents,
  leftSeconds: rounded(status.leftSeconds),
  owner: status.owner,
  keptUntil: time(status.keptUntil),
  reason: status.reason,
  poisonEvent: status.poisonEvent,
});

const runVerify = (context: CliContext, name: string | undefined, options: Options): Promise<void> =>
  withCivic(context, { projector: true }, async (civic) => {
    const results = [];
    for (const projection of chosenProjections(civic, name, options.all === true)) {
      await untilLive(context, civic, projection.name);
      const bar = progressBar(context.stderr, 'events');
      const total = civic.log.distance(LOG_START, await civic.log.head()) ?? undefined;
      const verification = await verifyProjection(
        civic.projectorDependencies,
        projection,
        (checkpoint) => bar.update(civic.log.distance(LOG_START, checkpoint) ?? 0, total),
        context.stopping,
      ).finally(() => bar.stop());
      results.push({
        name: projection.name,
        folded: verification.folded,
        equal: verification.differences.length === 0,
        differences: verification.differences,
      });
    }
    print(context, results, options);
    const wrong = results.filter(({ equal }) => !equal).map((result) => result.name);
    if (wrong.length > 0) throw new CommandFailed(`not what the log says: ${wrong.join(', ')}; rebuild to mend, after finding out why`);
  });

const runResume = (
  context: CliContext,
  name: string,
  options: Options,
  skip: { readonly eventId: string; readonly reason: string } | null,
): Promise<void> =>
  withCivic(context, { projector: false }, async (civic) => {
    const paused = (await civic.generations.list()).filter(
      ({ projection, pausedReason, state }) => projection === name && pausedReason !== null && state !== 'refused',
    );
    if (paused.length === 0) throw new CommandFailed(`${name} is not paused`);
    if (skip !== null) {
      if (!paused.some(({ pausedEvent }) => pausedEvent === skip.eventId))
        throw new CommandFailed(`${name} is not paused at event ${skip.eventId}`);
      const stream = projectionStream(name);
      const newest = (await civic.log.readLast([stream])).get(stream);
      const commandId = civic.identifiers.next();
      const data = canonicalJson({ projection: name, eventId: skip.eventId, reason: skip.reason });
      const event = {
        id: eventId(commandId, 0),
        type: PROJECTION_EVENT_SKIPPED,
        schemaVersion: 1,
        data,
        metadata: { commandId },
        time: civic.clock.now(),
      };
      const outcome = await civic.log.append({ stream, expectedRevision: newest?.revision ?? NO_STREAM, events: [event] });
      if (outcome.kind === 'conflict') throw new CommandFailed('somebody else decided about this projection just now; look again');
    }
    for (const { generation } of paused) await civic.generations.resume(generation);
    print(context, { name, resumed: paused.map(({ generation }) => generation), skipped: skip?.eventId ?? null }, options);
  });
