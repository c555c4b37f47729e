import type { Command } from 'commander';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { PROJECTION_EVENT_SKIPPED } from '../../domain/events/feed-events.ts';
import { eventId } from '../../domain/identifiers.ts';
import { LOG_START, NO_STREAM } from '../../domain/ports/event-log.ts';
import type { Generation } from '../../domain/ports/generations.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { projectionStream } from '../../domain/streams.ts';
import { verifyProjection } from '../../../projections/projector/verify-projection.ts';
import { listProjections } from '../../../queries/list-projections.ts';
import type { Civic } from '../../civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { withCivic } from '../with-civic.ts';

const FOLLOW_MS = 100;

interface Options {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly event?: string;
  readonly reason?: string;
}

export const addProjectionsCommands = (program: Command, context: CliContext): void => {
  const projections = program.command('projections').description('look at, rebuild and verify the read models');
  projections
    .command('list')
    .description('lag and state of every read model')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: false }, async (civic) => print(context, await listProjections(civic.listing), options)),
    );
  projections
    .command('rebuild [name]')
    .description('build a read model anew beside the live one, compare, and switch')
    .option('--all', 'every read model')
    .option('--json', 'print one JSON value')
    .action((name: string | undefined, options: Options) => runRebuild(context, name, options));
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

const chosen = (civic: Civic, name: string | undefined, all: boolean): readonly Projection[] => {
  const names = civic.projections.map((projection) => projection.name);
  if (all) return civic.projections;
  const found = civic.projections.filter((projection) => projection.name === name);
  if (found.length === 0) throw new CommandFailed(`name one of ${names.join(', ')}, or --all`);
  return found;
};

const runRebuild = (context: CliContext, name: string | undefined, options: Options): Promise<void> =>
  withCivic(context, { projector: true }, async (civic) => {
    const results = [];
    for (const projection of chosen(civic, name, options.all === true)) {
      const started = performance.now();
      await untilLive(civic, context, projection);
      const building = await civic.generations.create(projection, 'building', civic.projectorDependencies.leaseClock.now());
      const built = await followRebuild(context, civic, building);
      results.push({
        name: projection.name,
        generation: built.generation,
        folded: built.folded,
        seconds: Math.round(performance.now() - started) / 1000,
      });
    }
    print(context, results, options);
  });

const row = async (civic: Civic, generation: number): Promise<Generation | undefined> =>
  (await civic.generations.list()).find((candidate) => candidate.generation === generation);

const untilLive = async (civic: Civic, context: CliContext, { name }: Projection): Promise<void> => {
  while (!(await civic.generations.list()).some(({ projection, state }) => projection === name && state === 'live')) {
    await civic.clock.sleep(FOLLOW_MS, context.stopping);
  }
};

const followRebuild = async (context: CliContext, civic: Civic, building: Generation): Promise<Generation> => {
  const bar = progressBar(context.stderr, 'events');
  try {
    for (;;) {
      const now = await row(civic, building.generation);
      if (now === undefined || now.state === 'retired') throw new CommandFailed(`the rebuild of ${building.projection} was given up`);
      if (now.state === 'live') return now;
      if (now.state === 'refused') throw new CommandFailed(`the rebuild of ${building.projection} was refused: ${now.pausedReason ?? ''}`);
      if (now.pausedReason !== null) {
        throw new CommandFailed(`the rebuild of ${building.projection} is paused at event ${now.pausedEvent ?? '?'}: ${now.pausedReason}`);
      }
      const head = await civic.log.head();
      bar.update(civic.log.distance(LOG_START, now.checkpoint) ?? now.folded, civic.log.distance(LOG_START, head) ?? undefined);
      await civic.clock.sleep(FOLLOW_MS, context.stopping);
    }
  } finally {
    bar.stop();
  }
};

const runVerify = (context: CliContext, name: string | undefined, options: Options): Promise<void> =>
  withCivic(context, { projector: true }, async (civic) => {
    const results = [];
    for (const projection of chosen(civic, name, options.all === true)) {
      await untilLive(civic, context, projection);
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
