import type { Command } from '@commander-js/extra-typings';
import { newEvents } from '../../../commands/handle.ts';
import { canonicalJson } from '../../../domain/digests.ts';
import { PROJECTION_EVENT_SKIPPED } from '../../../domain/events/feed-events.ts';
import { LOG_START, NO_STREAM, type Position } from '../../../domain/ports/event-log.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { projectionStream } from '../../../domain/streams.ts';
import { listProjections, listReactors, type ProjectionStatus } from '../../../queries/operators/processors.ts';
import type { Civic } from '../../app/civic.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { waitUntilLive } from '../follow-rebuild.ts';
import { isoOrNull, print, warn } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { runs } from '../verb.ts';
import { addRebuildCommands, chosenProjections } from './rebuilds.ts';
import { type Verification, verifyProjection } from '../../processors/projector/compare-with-live.ts';

export function addProjectionsCommands(program: Command, context: CliContext): void {
  const projections = program.command('projections').description('list, rebuild and verify the read models');
  const list = projections
    .command('list [name]')
    .description('show lag, state, owner, throughput and rebuild progress of each read model');
  runs(context, 'log', list, async (civic, name, { json }) => {
    const names = chosenProjections(civic, name, name === undefined).map((projection) => projection.name);
    const listed = (await listProjections(civic.listing)).filter(
      (status) => name === undefined || names.includes(status.name),
    );
    return json === true ? listed : listed.map(forAPerson);
  });
  addRebuildCommands(projections, context);
  const verify = projections
    .command('verify [name]')
    .description('build a scratch copy and compare it with the live read model row by row')
    .option('--all', 'every read model');
  runs(context, 'log', verify, async (civic, name, options) => {
    civic.startProjector();
    const results: Verified[] = [];
    for (const projection of chosenProjections(civic, name, options.all === true))
      results.push(await verified(context, civic, projection));
    print(context, results, options);
    const named = (outcome: boolean | null) =>
      results.filter(({ equal }) => equal === outcome).map((result) => result.name);
    const [wrong, notCompared] = [named(false), named(null)];
    if (wrong.length > 0)
      throw new CommandFailed(`different from the log: ${wrong.join(', ')}; find the cause, then rebuild`);
    if (notCompared.length > 0) {
      throw new CommandFailed(
        `not compared: ${notCompared.join(', ')}; verify again when this program's version of each is live`,
      );
    }
  });
  const retry = projections.command('retry <name>').description('retry the event that paused a read model');
  runs(context, 'log', retry, (civic, name) => resume(civic, name, null));
  const skip = projections
    .command('skip <name>')
    .description('skip the event that paused a read model, now and in every rebuild')
    .requiredOption('--event <id>', 'event id from `projections list`')
    .requiredOption('--reason <text>', 'why it can be skipped');
  runs(context, 'log', skip, (civic, name, { event, reason }) => resume(civic, name, { eventId: event, reason }));
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10);

const forAPerson = (status: ProjectionStatus) => ({
  name: status.name,
  generation: status.generation,
  version: status.version,
  state: status.state,
  since: isoOrNull(status.since),
  folded: status.folded,
  perSecond: rounded(status.rate),
  lagEvents: status.lagEvents,
  lagSeconds: rounded(status.lagSeconds),
  leftEvents: status.leftEvents,
  leftSeconds: rounded(status.leftSeconds),
  owner: status.owner,
  keptUntil: isoOrNull(status.keptUntil),
  reason: status.reason,
  poisonEvent: status.poisonEvent,
});

interface Verified extends Pick<Verification, 'folded' | 'differences'> {
  readonly name: string;
  /** Null if the rows were not compared. */
  readonly equal: boolean | null;
}

async function verified(context: CliContext, civic: Civic, projection: Projection): Promise<Verified> {
  const { log, projectorDependencies } = civic;
  await waitUntilLive(context, civic, projection.name);
  const total = log.distance(LOG_START, await log.head()) ?? undefined;
  const { folded, differences, notCompared } = await withProgress(context, 'events', (bar) => {
    const onProgress = (checkpoint: Position): void => bar.update(log.distance(LOG_START, checkpoint) ?? 0, total);
    return verifyProjection(projectorDependencies, projection, onProgress, context.stopping);
  });
  if (notCompared !== null) warn(context, `${projection.name} is not compared: ${notCompared}`);
  return { name: projection.name, folded, equal: notCompared === null ? differences.length === 0 : null, differences };
}

async function resume(civic: Civic, name: string, skip: { readonly eventId: string; readonly reason: string } | null) {
  const paused = (await civic.generations.list()).filter(
    ({ projection, pausedReason, state }) => projection === name && pausedReason !== null && state !== 'refused',
  );
  if (paused.length === 0) throw new CommandFailed(`${name} is not paused`);
  if (skip !== null) {
    if (!paused.some(({ pausedEvent }) => pausedEvent === skip.eventId))
      throw new CommandFailed(`${name} is not paused at event ${skip.eventId}`);
    const stream = projectionStream(name);
    const newest = (await civic.log.readLast([stream])).get(stream);
    const data = canonicalJson({ projection: name, ...skip });
    const command = { commandId: civic.identifiers.next(), time: civic.clock.now() };
    const events = newEvents([{ type: PROJECTION_EVENT_SKIPPED, data }], command);
    const outcome = await civic.log.append({ stream, expectedRevision: newest?.revision ?? NO_STREAM, events });
    if (outcome.kind === 'conflict')
      throw new CommandFailed('another process has changed this projection; list it again');
  }
  for (const { generation } of paused) await civic.generations.resume(generation);
  return { name, resumed: paused.map(({ generation }) => generation), skipped: skip?.eventId ?? null };
}

export function addReactorsCommands(program: Command, context: CliContext): void {
  const reactors = program
    .command('reactors')
    .description('list reactors and unclassified items, and retry a paused reactor');
  const list = reactors.command('list').description('show lag and state of each reactor');
  runs(context, 'log', list, async ({ listingReactors }, { json }) => {
    const listed = await listReactors(listingReactors);
    return json === true
      ? listed
      : listed.map((status) => ({
          ...status,
          lagSeconds: rounded(status.lagSeconds),
          oldestPendingAt: isoOrNull(status.oldestPendingAt),
        }));
  });
  const unclassified = reactors
    .command('unclassified')
    .description('list agenda items that the classifier could not process, with the reason');
  runs(context, 'log', unclassified, async ({ unclassifiedItems }) =>
    (await unclassifiedItems.list()).map(({ itemId, classifier, reason, failedAt }) => ({
      itemId,
      classifier,
      reason,
      failedAt: isoOrNull(failedAt),
    })),
  );
  const retry = reactors.command('retry <name>').description('retry the events that paused a reactor');
  runs(context, 'log', retry, async ({ listingReactors, processorStore }, name) => {
    const reactors = await listReactors(listingReactors);
    const chosenReactor = reactors.find((reactor) => reactor.name === name);
    if (chosenReactor === undefined)
      throw new CommandFailed(`name one of ${reactors.map((reactor) => reactor.name).join(', ')}`, MISUSE);
    if (chosenReactor.state !== 'paused') throw new CommandFailed(`${name} is not paused`);
    await processorStore.resume(name);
    return { name, resumed: true, poisonEvent: chosenReactor.poisonEvent };
  });
}
