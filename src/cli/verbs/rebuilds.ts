import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Decision, Generation } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { reasonNotCompared } from '../../processors/projector/compare-with-live.ts';
import type { Civic } from '../../app/civic.ts';
import { confirm, numbered, YES } from '../confirm.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { followRebuild, waitUntilLive } from '../follow-rebuild.ts';
import { print, warn } from '../output.ts';
import { runs } from '../verb.ts';

const ON_GOING =
  '\nA running service does the work and continues if you stop this command. Without a service, this command does the work; run it again to continue.';

/** Returns the named read model, or all with `all`. Throws `CommandFailed` with the known names. */
export function chosenProjections(civic: Civic, name: string | undefined, all: boolean): readonly Projection[] {
  const chosen = civic.projections.filter((projection) => (all ? name === undefined : projection.name === name));
  const names = civic.projections.map((projection) => projection.name);
  if (chosen.length === 0)
    throw new CommandFailed(`name one of ${names.join(', ')}, or --all where it is an option`, MISUSE);
  return chosen;
}

interface Chosen {
  readonly context: CliContext;
  readonly civic: Civic;
  readonly name: string;
  readonly projection: Projection;
  readonly rows: readonly Generation[];
  readonly building: Generation | undefined;
}

const generationsOf = async (civic: Civic, name: string): Promise<readonly Generation[]> =>
  (await civic.generations.list()).filter(({ projection }) => projection === name).toReversed();

async function chosen(context: CliContext, civic: Civic, name: string): Promise<Chosen> {
  const projection = chosenProjections(civic, name, false)[0]!;
  const rows = await generationsOf(civic, name);
  return { context, civic, name, projection, rows, building: rows.find(({ state }) => state === 'building') };
}

export function addRebuildCommands(projections: Command, context: CliContext): void {
  const described = <Words extends string>(words: Words, description: string) =>
    projections.command(words).description(description);
  const rebuilding = described(
    'rebuild [name]',
    'rebuild a read model beside the live one, compare and switch; or follow a rebuild in progress',
  )
    .option('--all', 'rebuild every read model, one after another')
    .option('--hold', 'build and compare, but do not switch until `switch`')
    .addHelpText('after', ON_GOING);
  runs(context, 'log', rebuilding, async (civic, name, { all = false, hold = false }) => {
    const results = [];
    for (const projection of chosenProjections(civic, name, all))
      results.push(await rebuild(context, civic, projection, hold));
    return results;
  });

  const changes = <Options extends OptionValues>(
    verb: Command<[string], Options>,
    work: (model: Chosen, options: Options & { readonly json?: true }) => Promise<unknown>,
  ): void =>
    runs(context, 'log', verb, async (civic, name, options) => work(await chosen(context, civic, name), options));
  changes(described('pause <name>', 'stop folding a rebuild until `resume`'), (model) => decide(model, 'pause'));
  changes(described('resume <name>', 'continue a rebuild that `pause` stopped'), (model) => decide(model, 'resume'));
  changes(described('cancel <name>', 'cancel a rebuild; the live generation does not change'), (model) =>
    decide(model, 'cancel'),
  );
  changes(
    described('compare <name>', 'compare a held rebuild with the live read model and list the rows that differ'),
    async (model, { json = false }) => printComparison(context, await compare(model), json),
  );
  changes(
    described('switch <name>', 'switch to a held rebuild once it has caught up and is equal').option(
      '--accept-differences',
      'switch even if it differs or was refused; not possible for the published feed',
    ),
    (model, { acceptDifferences = false }) => switchTo(model, acceptDifferences),
  );
  changes(described('switch-back <name>', 'switch back to the previous generation once it has caught up'), switchBack);
  changes(
    described('drop <name>', 'drop the tables of previous generations and refused rebuilds').option(...YES),
    (model, { yes }) => drop(model, yes),
  );
}

async function followed(context: CliContext, civic: Civic, building: Generation, isDone: (row: Generation) => boolean) {
  const started = performance.now();
  const { projection, generation, state, folded } = await followRebuild(context, civic, building, isDone);
  const seconds = Math.round(performance.now() - started) / 1000;
  return { name: projection, generation, state: state === 'live' ? 'live' : 'ready', folded, seconds };
}

const isLive = ({ state }: Generation): boolean => state === 'live';

async function rebuild(context: CliContext, civic: Civic, projection: Projection, held: boolean) {
  const { name } = projection;
  await waitUntilLive(context, civic, name);
  if (held) requireComparable({ name, projection, rows: await generationsOf(civic, name) }, projection.version);
  const building = await civic.generations.create(projection, held ? 'held' : 'building', civic.leaseClock.now());
  if (building.held && !held) {
    throw new CommandFailed(
      `a rebuild of ${name} is held: \`civic projections switch ${name}\` makes it live, \`cancel\` cancels it`,
    );
  }
  if (!building.held && held) {
    throw new CommandFailed(`a rebuild of ${name} that switches automatically is running; \`cancel\` it first`);
  }
  const isBuilt = ({ state, comparison }: Generation): boolean => state === 'building' && comparison?.equal === true;
  return followed(context, civic, building, held ? isBuilt : isLive);
}

async function notNow({ civic, name }: Chosen, decision: string): Promise<CommandFailed> {
  const building = (await generationsOf(civic, name)).find(({ state }) => state === 'building');
  if (building === undefined)
    return new CommandFailed(`${name}: there is nothing to ${decision}, no rebuild is running`);
  const state =
    building.operatorPausedAt !== null ? 'paused' : building.held ? 'held' : 'running, and switches automatically';
  return new CommandFailed(`${name}: there is nothing to ${decision}, its rebuild is ${state}`);
}

async function decided(
  model: Chosen,
  row: Generation | undefined,
  decision: Decision,
  word: string = decision,
): Promise<Generation> {
  const { generations, leaseClock } = model.civic;
  const after = row === undefined ? null : await generations.decide(row.generation, decision, leaseClock.now());
  if (after === null) throw await notNow(model, word);
  return after;
}

async function decide(model: Chosen, decision: 'pause' | 'resume' | 'cancel') {
  const { generation, folded, keptUntil } = await decided(model, model.building, decision);
  const state = { pause: 'operator_paused', resume: 'building', cancel: keptUntil === null ? 'cancelled' : 'kept' }[
    decision
  ];
  return { name: model.name, generation, state, folded };
}

/**
 * Returns a generation with its comparison: a new one if the rebuild is in progress, else the one that caused its
 * refusal.
 */
async function compare(model: Chosen): Promise<Generation> {
  const { context, civic, rows, building } = model;
  if (building === undefined) {
    const refused = rows.find(({ state, comparison }) => state === 'refused' && comparison !== null);
    if (refused === undefined) throw await notNow(model, 'compare');
    return refused;
  }
  requireComparable(model, building.version);
  return followRebuild(
    context,
    civic,
    await decided(model, building, 'compare'),
    ({ comparison }) => comparison !== null,
  );
}

/** A build of this version is compared with the live generation. Throws `CommandFailed` where it cannot be. */
function requireComparable(
  { name, rows, projection }: Pick<Chosen, 'name' | 'rows' | 'projection'>,
  version: number,
): void {
  const live = rows.find(({ state }) => state === 'live');
  if (live === undefined) throw new CommandFailed(`${name} has no live generation to compare with`);
  const notCompared = reasonNotCompared(projection, live.version, version);
  if (notCompared !== null) throw new CommandFailed(`${name}: ${notCompared}`);
  if (live.pausedReason !== null) {
    throw new CommandFailed(
      `${name}: the live one is paused at event ${live.pausedEvent ?? '?'}; \`retry\` or \`skip\` it first`,
    );
  }
}

function printComparison(context: CliContext, { projection, generation, comparison }: Generation, json: boolean): void {
  const { at, checkpoint, live: of, equal, differences, tables: compared } = comparison!;
  const tables = compared.map(({ table, live, rebuilt }) => ({
    table,
    equal: live.rows === rebuilt.rows && live.digest === rebuilt.digest,
    rowsLive: live.rows,
    rowsRebuilt: rebuilt.rows,
    digestLive: live.digest,
    digestRebuilt: rebuilt.digest,
  }));
  const summary = {
    name: projection,
    generation,
    live: of,
    equal,
    checkpoint,
    at: new Date(at).toISOString(),
    differences,
  };
  print(context, json ? { ...summary, tables } : summary, { json });
  if (!json) print(context, tables, { json });
  const different = tables.filter((table) => !table.equal).map(({ table }) => table);
  if (!equal)
    throw new CommandFailed(
      `${projection}: generation ${generation} differs from the live one in ${different.join(', ')}`,
    );
}

async function switchTo(model: Chosen, accepting: boolean) {
  const { context, civic, name, projection } = model;
  if (accepting && projection.published === true) {
    throw new CommandFailed(`${name} is the published history: a rebuild that differs from it can never replace it`);
  }
  const rows = model.rows.filter(({ version }) => version === projection.version);
  const row =
    rows.find(({ state }) => state === 'building') ??
    (accepting ? rows.find(({ state }) => state === 'refused') : undefined);
  if (row !== undefined) await requireLogInUse(civic, row);
  const switching = await decided(model, row, accepting ? 'switch-accepting' : 'switch', 'switch to');
  return followed(context, civic, switching, isLive);
}

/** A moved log keeps its live and building generations; retired and refused ones stay with the former log. */
async function requireLogInUse(civic: Civic, { projection, logId }: Generation): Promise<void> {
  if (logId !== null && logId !== (await civic.log.identity())) {
    throw new CommandFailed(
      `${projection}: this generation was built from log ${logId}, which is not the log in use; \`drop\` it`,
    );
  }
}

async function switchBack(model: Chosen) {
  const { context, civic, name, projection, rows } = model;
  const former = rows.find(({ state, keptUntil }) => state === 'retired' && (keptUntil ?? 0) >= civic.leaseClock.now());
  if (former === undefined)
    throw new CommandFailed(`${name}: there is no previous generation; CIVIC_REBUILD_KEPT sets how long it is kept`);
  if (former.version !== projection.version) {
    throw new CommandFailed(
      `${name}: the previous generation has version ${former.version}, and this program folds version ${projection.version}; run the program that folds it`,
    );
  }
  await requireLogInUse(civic, former);
  const back = await decided(model, former, 'switch-back', 'switch back to');
  return followed(context, civic, back, isLive);
}

async function drop({ context, civic, name, projection, rows }: Chosen, yes: boolean | undefined) {
  const dropped: number[] = [];
  const waiting: number[] = [];
  const droppable = rows.filter(({ state }) => state === 'retired' || state === 'refused');
  if (droppable.length > 0) {
    const tables = droppable.flatMap(({ generation }) => projection.tables(generation));
    const folded = droppable.reduce((sum, row) => sum + row.folded, 0);
    const what = () =>
      `removes ${numbered(droppable.length, 'generation')} of ${name}: ${numbered(tables.length, 'table')} with ${numbered(folded, 'folded event')}`;
    await confirm(context, { yes, what });
  }
  for (const { generation } of droppable) {
    if ((await civic.generations.decide(generation, 'drop', civic.leaseClock.now())) === null) continue;
    const isDropped = await civic.generations.drop(generation, projection.tables(generation));
    (isDropped ? dropped : waiting).push(generation);
  }
  if (dropped.length + waiting.length === 0) throw new CommandFailed(`${name}: there is nothing to drop`);
  if (waiting.length > 0) warn(context, 'a reader still uses some of the tables; the service drops them later');
  return { name, dropped, waiting };
}
