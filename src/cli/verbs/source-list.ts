import type { Command } from '@commander-js/extra-typings';
import { sourceKey, sourceRef } from '../../../domain/events/source-events.ts';
import { SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import { slug, timeZone } from '../../../domain/records/fields.ts';
import { visible } from '../../../plumbing/visible-text.ts';
import { reasonLine } from '../../sources/check-reasons.ts';
import { requirePlace } from '../../sources/place.ts';
import type { Source } from '../../sources/source.ts';
import { SOURCES } from '../../sources/sources.ts';
import type { Civic } from '../../app/civic.ts';
import { allowedBy, publishedUrl } from '../../app/setting-values.ts';
import { confirm, numbered, YES } from '../confirm.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { print } from '../output.ts';
import { DEADLINE_MS, parser, requireHandled, runs, textParser, waitUntilVisible } from '../verb.ts';
import { addRegistryCommand } from './add-registry.ts';
import { addProbeCommand } from './probe-registry.ts';
import { addOwnOptions } from './own-options.ts';
import { describeKnownSources, knownSources } from './source-registry.ts';

const clientParser = parser(
  '--client',
  sourceRef.shape.client,
  '1 to 253 lower-case letters, digits, hyphens and dots',
);
const slugParser = parser('--jurisdiction', slug, '1 to 64 lower-case letters, digits and hyphens');
const zoneParser = parser('--time-zone', timeZone, 'an IANA time zone such as America/New_York');

interface SourceCommand {
  readonly context: CliContext;
  readonly command: Command;
  readonly name: string;
  readonly source: Source;
}

/** Adds a subcommand for each platform. */
function eachSource(parent: Command, define: (command: Omit<SourceCommand, 'context'>) => void): void {
  for (const [name, source] of Object.entries<Source>(SOURCES))
    define({ name, source, command: parent.command(name).description(source.description) });
}

/** An address of a platform might be stored in the log and shown, so it contains no secret. */
export function parseBaseUrl(text: string): string {
  if (publishedUrl.safeParse(text).success) return text;
  throw new CommandFailed(`--base-url is not usable; allowed is ${allowedBy(publishedUrl)}`, MISUSE);
}

async function addSource(context: CliContext, civic: Civic, added: Parameters<Civic['addSource']>[0]): Promise<void> {
  try {
    await requireHandled(context, civic, await civic.addSource(added, DEADLINE_MS));
  } catch (error) {
    if (!(error instanceof SourceUnavailable) && !(error instanceof UnknownSourceClient)) throw error;
    throw new CommandFailed(`${sourceKey(added)} was not added: ${error.message}`);
  }
}

async function listAdded(civic: Civic) {
  return (await civic.addedSources()).map(
    ({ source, client, options, jurisdiction: { slug, name, timezone }, isPublic }) => ({
      source,
      client,
      jurisdiction: slug,
      name,
      timezone,
      isPublic,
      options: Object.entries(options ?? {}).map(([option, value]) => `${option}=${value}`),
    }),
  );
}

function defineAdd({ context, command, name: source, source: { client: meaning, ownOptions } }: SourceCommand): void {
  addOwnOptions(command, { ownOptions });
  const leaf = command
    .requiredOption('--client <name>', meaning, clientParser)
    .requiredOption(
      '--jurisdiction <slug>',
      "slug of the place, of the catalogue or a new one; a county's ends in -county",
      slugParser,
    )
    .requiredOption('--name <name>', 'name of the place', textParser('--name', 200))
    .requiredOption('--time-zone <zone>', 'IANA time zone of the place, such as America/New_York', zoneParser)
    .option('--public', 'also show the bodies of the place in the public hit operations')
    .option('--base-url <url>', 'another address of the platform', parseBaseUrl);
  runs(
    context,
    'projector',
    leaf,
    async (civic, { client, jurisdiction, name, timeZone, public: isPublic = false, baseUrl, json: _json, ...own }) => {
      const options: Readonly<Record<string, string>> = own;
      const added = {
        source,
        client,
        jurisdiction: requirePlace({ slug: jurisdiction, name, timezone: timeZone }),
        isPublic,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(Object.keys(options).length > 0 && { options }),
      };
      await addSource(context, civic, added);
      return added;
    },
  );
}

function defineList(context: CliContext, sources: Command): void {
  const list = sources
    .command('list')
    .description('list the added sources')
    .option('--known', 'list the sources that the registry names and that are not added');
  runs(context, 'log', list, async (civic, { known = false, json = false }) => {
    if (known) return knownSources(civic);
    const added = await listAdded(civic);
    if (json) return added;
    print(context, added, {});
    context.stdout.write(`\n${await describeKnownSources(civic)}\n`);
    return undefined;
  });
}

type SourceStates = Awaited<ReturnType<Civic['sourceStates']>>;

function defineStatus(context: CliContext, sources: Command): void {
  const status = sources
    .command('status')
    .description('show the last check of each source, also of those that were only synced');
  runs(context, 'read models', status, async (civic, { json = false }) => {
    const states = await civic.sourceStates();
    if (json) return states;
    print(
      context,
      states.map(({ reasons: _reasons, ...state }) => state),
      {},
    );
    printStateReasons(context, states);
    return undefined;
  });
}

/** Prints why the last sync of each source left out rows or published meetings incompletely. */
function printStateReasons({ stdout }: CliContext, states: SourceStates): void {
  for (const { source, client, jurisdiction, reasons } of states) {
    if (reasons.length === 0) continue;
    const name = client === null ? `${source} of ${jurisdiction}` : sourceKey({ source, client });
    stdout.write(`\n${name}:\n${reasons.map((reason) => `  ${visible(reasonLine(reason))}\n`).join('')}`);
  }
}

/** Returns the source as it was added. Throws `CommandFailed` if its removal has nothing to do. */
async function requireRemovable(civic: Civic, key: string, withRecords: boolean) {
  const added = (await civic.everAdded()).get(key);
  if (added === undefined)
    throw new CommandFailed(`${key} was never added; civic sources list shows the added sources`);
  if (added.isRemoved && !withRecords)
    throw new CommandFailed(`${key} was already removed; pass --records to remove its records`);
  return added;
}

function defineRemove({ context, command, name: source, source: { client: meaning } }: SourceCommand): void {
  const leaf = command
    .requiredOption('--client <name>', meaning, clientParser)
    .option('--records', 'also remove its records from the feed; run it again to remove any that are left')
    .option(...YES);
  runs(context, 'read models', leaf, async (civic, { client, records = false, yes }) => {
    const key = sourceKey({ source, client });
    const added = await requireRemovable(civic, key, records);
    const consequences = async (): Promise<string> => {
      const published = await civic.recordsOfSource(added);
      return `removes ${numbered(published.length, 'record')} of ${key} from the feed and ends its polling`;
    };
    if (records) await confirm(context, { yes, what: consequences });
    await requireHandled(context, civic, await civic.removeSource({ source, client }, DEADLINE_MS));
    if (!records) return { source, client, removed: 0 };
    // A sync might have written until now: the removal reads what is published at this moment.
    await civic.caughtUp(await civic.log.head());
    const { removed, position } = await civic.removeRecords(added);
    await waitUntilVisible(context, civic, position);
    return { source, client, removed };
  });
}

/** Adds the commands for the list of sources that every process of the service polls. */
export function addSourceListCommands(sources: Command, context: CliContext): void {
  const add = sources.command('add').description('add a source: the service polls it and publishes its records');
  eachSource(add, (command) => defineAdd({ context, ...command }));
  addRegistryCommand(add, context);
  addProbeCommand(sources, context);
  defineList(context, sources);
  defineStatus(context, sources);
  const remove = sources
    .command('remove')
    .description('stop polling a source; its records stay unless you pass --records');
  eachSource(remove, (command) => defineRemove({ context, ...command }));
}
