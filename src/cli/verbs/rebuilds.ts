import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Decision, Generation } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import type { Civic } from '../../civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { followRebuild, untilLive } from '../follow-rebuild.ts';
import { print, warn } from '../output.ts';
import { runs } from '../verb.ts';

const ON_GOING =
  '\nA running service does the work and continues it when this command is stopped. Without a service this command does the work, and the same command continues it.';

const unknownName = ({ projections }: Civic, orAll: string): CommandFailed =>
  new CommandFailed(`name one of ${projections.map(({ name }) => name).join(', ')}${orAll}`);

/** The named read model, or all with `all`. Throws `CommandFailed` with the known names. */
export function chosenProjections(civic: Civic, name: string | undefined, all: boolean): readonly Projection[] {
  const found = civic.projections.filter((projection) => (all ? name === undefined : projection.name === name));
  if (found.length === 0) throw unknownName(civic, ', or --all');
  return found;
}

function chosenProjection(civic: Civic, name: string): Projection {
  const found = civic.projections.find((projection) => projection.name === name);
  if (found === undefined) throw unknownName(civic, '');
  return found;
}

/** Generations of one read model, newest first. */
const generationsOf = async (civic: Civic, name: string): Promise<readonly Generation[]> =>
  (await civic.generations.list()).filter(({ projection }) => projection === name).toReversed();

export function addRebuildCommands(projections: CommandUnknownOpts, context: CliContext): void {
  const verb = <Words extends string>(words: Words, description: string) => projections.command(words).description(description);
  const rebuilding = verb(
    'rebuild [name]',
    'build a read model anew beside the live one, compare, and switch; or follow the rebuild in progress',
  )
    .option('--all', 'every read model, one after the other')
    .option('--hold', 'build and compare, and wait with the switch for `switch`')
    .addHelpText('after', ON_GOING);
  runs(context, 'log', rebuilding, async (civic, name, { all = false, hold = false }) => {
    const results = [];
    for (const projection of chosenProjections(civic, name, all)) results.push(await rebuild(context, civic, projection, hold));
    return results;
  });
  runs(context, 'log', verb('pause <name>', 'stop folding a rebuild until `resume`'), (civic, name) => decide(civic, name, 'pause'));
  runs(context, 'log', verb('resume <name>', 'continue a rebuild that `pause` stopped'), (civic, name) => decide(civic, name, 'resume'));
  runs(context, 'log', verb('cancel <name>', 'cancel a rebuild; the live generation does not change'), (civic, name) =>
    decide(civic, name, 'cancel'),
  );
  const comparing = verb('compare <name>', 'compare a held rebuild with the live read model by digest, and name the rows that differ');
  runs(context, 'log', comparing, async (civic, name, { json = false }) =>
    printComparison(context, await compare(context, civic, name), json),
  );
  const switching = verb('switch <name>', 'let a held rebuild serve, once it has caught up and is found equal').option(
    '--accept-differences',
    'also a refused one, and although it differs; never for the published feed',
  );
  runs(context, 'log', switching, (civic, name, { acceptDifferences = false }) => switchTo(context, civic, name, acceptDifferences));
  const back = verb('switch-back <name>', 'let what the last rebuild replaced catch up and serve again');
  runs(context, 'log', back, (civic, name) => switchBack(context, civic, name));
  const dropping = verb('drop <name>', 'remove the tables that are kept for `switch-back`, and those of refused rebuilds');
  runs(context, 'log', dropping, (civic, name) => drop(context, civic, name));
}

/** Follows a rebuild until it is done, and returns its summary. */
async function followed(context: CliContext, civic: Civic, building: Generation, isDone: (row: Generation) => boolean) {
  const started = performance.now();
  const { projection, generation, state, folded } = await followRebuild(context, civic, building, isDone);
  const seconds = Math.round(performance.now() - started) / 1000;
  return { name: projection, generation, state: state === 'live' ? 'live' : 'ready', folded, seconds };
}

const isLive = ({ state }: Generation): boolean => state === 'live';

async function rebuild(context: CliContext, civic: Civic, projection: Projection, held: boolean) {
  const { name } = projection;
  await untilLive(context, civic, name);
  const building = await civic.generations.create(projection, held ? 'held' : 'building', civic.leaseClock.now());
  if (building.held && !held) {
    throw new CommandFailed(`a rebuild of ${name} is held: \`civic projections switch ${name}\` makes it live, \`cancel\` cancels it`);
  }
  if (!building.held && held) {
    throw new CommandFailed(`a rebuild of ${name} that switches by itself is under way; \`cancel\` it first`);
  }
  const isBuilt = ({ state, comparison }: Generation): boolean => state === 'building' && comparison?.equal === true;
  return followed(context, civic, building, held ? isBuilt : isLive);
}

/** The failure for a decision that is not possible now. */
async function notNow(civic: Civic, name: string, decision: string): Promise<CommandFailed> {
  const rows = await generationsOf(civic, name);
  const building = rows.find(({ state }) => state === 'building');
  if (building === undefined) return new CommandFailed(`${name}: there is nothing to ${decision}, no rebuild is under way`);
  const state = building.operatorPausedAt !== null ? 'paused' : building.held ? 'held' : 'under way, and switches by itself';
  return new CommandFailed(`${name}: there is nothing to ${decision}, its rebuild is ${state}`);
}

async function decided(civic: Civic, name: string, row: Generation | undefined, decision: Decision, word: string): Promise<Generation> {
  const after = row === undefined ? null : await civic.generations.decide(row.generation, decision, civic.leaseClock.now());
  if (after === null) throw await notNow(civic, name, word);
  return after;
}

async function decide(civic: Civic, name: string, word: 'pause' | 'resume' | 'cancel') {
  chosenProjection(civic, name);
  const building = (await generationsOf(civic, name)).find(({ state }) => state === 'building');
  const row = await decided(civic, name, building, word, word);
  const state = { pause: 'operator_paused', resume: 'building', cancel: row.keptUntil === null ? 'cancelled' : 'kept' }[word];
  return { name, generation: row.generation, state, folded: row.folded };
}

/** A generation with its comparison: a new one of the rebuild under way, else the one for which it was refused. */
async function compare(context: CliContext, civic: Civic, name: string): Promise<Generation> {
  const projection = chosenProjection(civic, name);
  const rows = await generationsOf(civic, name);
  const building = rows.find(({ state }) => state === 'building');
  if (building === undefined) {
    const refused = rows.find(({ state, comparison }) => state === 'refused' && comparison !== null);
    if (refused === undefined) throw await notNow(civic, name, 'compare');
    return refused;
  }
  requireComparable(projection, rows, building);
  const asked = await decided(civic, name, building, 'compare', 'compare');
  return followRebuild(context, civic, asked, ({ comparison }) => comparison !== null);
}

function requireComparable({ name, published }: Projection, rows: readonly Generation[], building: Generation): void {
  const live = rows.find(({ state }) => state === 'live');
  if (live === undefined) throw new CommandFailed(`${name} has no live generation to compare with`);
  if (live.version !== building.version && published !== true) {
    throw new CommandFailed(
      `${name}: the live one is version ${live.version} and the rebuilt one ${building.version}; their tables differ`,
    );
  }
  if (live.pausedReason !== null) {
    throw new CommandFailed(`${name}: the live one is paused at event ${live.pausedEvent ?? '?'}; \`retry\` or \`skip\` it first`);
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
  const found = { name: projection, generation, live: of, equal, checkpoint, at: new Date(at).toISOString(), differences };
  print(context, json ? { ...found, tables } : found, { json });
  if (!json) print(context, tables, { json });
  const different = tables.filter((table) => !table.equal).map(({ table }) => table);
  if (!equal) throw new CommandFailed(`${projection}: generation ${generation} differs from the live one in ${different.join(', ')}`);
}

async function switchTo(context: CliContext, civic: Civic, name: string, accepting: boolean) {
  const projection = chosenProjection(civic, name);
  if (accepting && projection.published === true) {
    throw new CommandFailed(`${name} is published history: a rebuild that differs from it is never switched to`);
  }
  const rows = (await generationsOf(civic, name)).filter(({ version }) => version === projection.version);
  const row = rows.find(({ state }) => state === 'building') ?? (accepting ? rows.find(({ state }) => state === 'refused') : undefined);
  if (row !== undefined) await requireLogInUse(civic, row);
  const switching = await decided(civic, name, row, accepting ? 'switch-accepting' : 'switch', 'switch to');
  return followed(context, civic, switching, isLive);
}

/** A moved log keeps its live and building generations; kept and refused ones stay with the former log. */
async function requireLogInUse(civic: Civic, { projection, logId }: Generation): Promise<void> {
  if (logId !== null && logId !== (await civic.log.identity())) {
    throw new CommandFailed(`${projection}: what is there was filled from log ${logId}, which is not the log in use; \`drop\` it`);
  }
}

async function switchBack(context: CliContext, civic: Civic, name: string) {
  const projection = chosenProjection(civic, name);
  const kept = (await generationsOf(civic, name)).find(
    ({ state, keptUntil }) => state === 'retired' && (keptUntil ?? 0) >= civic.leaseClock.now(),
  );
  if (kept === undefined) throw new CommandFailed(`${name}: nothing is kept to switch back to; CIVIC_REBUILD_KEPT says how long it is`);
  if (kept.version !== projection.version) {
    throw new CommandFailed(
      `${name}: what is kept is version ${kept.version}, and this program folds version ${projection.version}; run the program that folds it`,
    );
  }
  await requireLogInUse(civic, kept);
  const back = await decided(civic, name, kept, 'switch-back', 'switch back to');
  return followed(context, civic, back, isLive);
}

async function drop(context: CliContext, civic: Civic, name: string) {
  const projection = chosenProjection(civic, name);
  const dropped: number[] = [];
  const waiting: number[] = [];
  for (const { generation } of (await generationsOf(civic, name)).filter(({ state }) => state === 'retired' || state === 'refused')) {
    if ((await civic.generations.decide(generation, 'drop', civic.leaseClock.now())) === null) continue;
    const gone = await civic.generations.drop(generation, projection.tables(generation));
    (gone ? dropped : waiting).push(generation);
  }
  if (dropped.length + waiting.length === 0) throw new CommandFailed(`${name}: nothing is kept that could be dropped`);
  if (waiting.length > 0) warn(context, 'a reader still holds some of the tables; the service drops them when it is done');
  return { name, dropped, waiting };
}
