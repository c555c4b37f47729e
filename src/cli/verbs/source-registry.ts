import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { sourceKey } from '../../../domain/events/source-events.ts';
import { SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import { connectorOf } from '../../sources/added-sources.ts';
import type { SurveyClient } from '../../sources/source.ts';
import { REGION_TIME_ZONE, JURISDICTIONS } from '../../sources/catalogue/catalogue-records.ts';
import { type Addition, planAdditions } from '../../sources/registry/plan-additions.ts';
import { eachByPlatform } from '../../sources/registry/each-by-platform.ts';
import {
  parseRegistryRows,
  type RegistryRow,
  shippedRegistry,
  withLaterRows,
} from '../../sources/registry/registry.ts';
import { placesIn, type RegistryScope } from '../../sources/registry/registry-scope.ts';
import { probeRows } from '../../sources/registry/probe-registry.ts';
import { registrySources, type RegistrySource } from '../../sources/registry/registry-sources.ts';
import { SOURCES } from '../../sources/sources.ts';
import type { Civic } from '../../app/civic.ts';
import { numbered } from '../confirm.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { withProgress } from '../progress-bar.ts';
import { DEADLINE_MS, runs, waitUntilVisible } from '../verb.ts';

/** Longest time for the answer of one client, in milliseconds. */
const ANSWER_MS = 60_000;

const COUNTY = ['--county <slug>', 'only places of this county, such as ellis'] as const;
const PLACE = ['--place <slug>', "only this place; the slug of a county's court ends in -county"] as const;
const ROWS = ['--rows <file>', 'rows of sources probe registry --json, which replace shipped ones'] as const;

async function readRows(path: string): Promise<readonly RegistryRow[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFailed(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return parseRegistryRows(JSON.parse(text));
  } catch (error) {
    throw new CommandFailed(`${path} contains no rows of the registry: ${(error as Error).message}`);
  }
}

/** Returns the rows of the scope on platforms that this version reads. */
async function registryRows({
  rows: path,
  ...scope
}: RegistryScope & { readonly rows?: string | undefined }): Promise<readonly RegistryRow[]> {
  const places = placesIn(scope);
  const shipped = shippedRegistry().rows;
  const rows = path === undefined ? shipped : withLaterRows(shipped, await readRows(path));
  return rows.filter((row) => places.has(row.jurisdictionSlug) && Object.hasOwn(SOURCES, row.platform));
}

/** The row of a source as commands print it. */
const printed = ({ source, client, jurisdictionSlug, bodySlugs, evidence, evidenceDate }: RegistrySource) => ({
  source,
  client,
  jurisdiction: jurisdictionSlug,
  bodies: bodySlugs,
  evidence,
  evidenceDate,
});

function addedOf({ source, client, jurisdictionSlug, baseUrl, options }: RegistrySource, isPublic: boolean) {
  const { name } = JURISDICTIONS.find(({ slug }) => slug === jurisdictionSlug)!;
  const jurisdiction = { slug: jurisdictionSlug, name, timezone: REGION_TIME_ZONE };
  return {
    source,
    client,
    jurisdiction,
    isPublic,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

interface Outcome {
  readonly outcome: 'added' | 'already added' | 'left out';
  readonly reason: string | null;
}

/** Adds a source that answers. Returns why another one was not added. */
async function addSource({ stopping }: CliContext, civic: Civic, added: ReturnType<typeof addedOf>): Promise<Outcome> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const handled = await civic.addSource(added, DEADLINE_MS, signal);
    if (handled.kind !== 'rejected') return { outcome: 'added', reason: null };
    return { outcome: 'left out', reason: handled.rejection.message };
  } catch (error) {
    stopping.throwIfAborted();
    if (signal.aborted) return { outcome: 'left out', reason: 'no complete answer within a minute' };
    if (!(error instanceof SourceUnavailable) && !(error instanceof UnknownSourceClient)) throw error;
    return { outcome: 'left out', reason: error.message };
  }
}

async function addPlanned(
  context: CliContext,
  civic: Civic,
  { plan, isPublic }: { readonly plan: readonly Addition[]; readonly isPublic: boolean },
) {
  const toAdd = plan.flatMap(({ source, outcome }) => (outcome === 'to add' ? [source] : []));
  const outcomes = new Map<string, Outcome>();
  await withProgress(context, 'sources', async (bar) => {
    await eachByPlatform(toAdd, async (source) => {
      context.stopping.throwIfAborted();
      outcomes.set(sourceKey(source), await addSource(context, civic, addedOf(source, isPublic)));
      bar.update(outcomes.size, toAdd.length);
    });
  });
  await waitUntilVisible(context, civic, await civic.log.head());
  return plan.map((planned) => {
    const { source, ...decided } = planned;
    const { outcome, reason } = decided.outcome === 'to add' ? outcomes.get(sourceKey(source))! : decided;
    return { ...printed(source), outcome, reason };
  });
}

export function addRegistryCommand(add: Command, context: CliContext): void {
  const leaf = add
    .command('registry')
    .description('add the sources that the registry of the region names, if they answer')
    .option(...COUNTY)
    .option(...PLACE)
    .option('--listed', 'also those that only a list names')
    .option('--public', 'also show the bodies of the places in the public hit operations')
    .option(...ROWS);
  runs(context, 'projector', leaf, async (civic, { listed = false, public: isPublic = false, county, place, rows }) => {
    const sources = registrySources(await registryRows({ county, place, rows }));
    const plan = planAdditions(sources, { everAdded: await civic.everAdded(), withListed: listed });
    return addPlanned(context, civic, { plan, isPublic });
  });
}

/** The row of a probe as the table shows it. */
const probed = ({ platform, client, jurisdictionSlug, answer }: RegistryRow) => ({
  source: platform,
  client,
  jurisdiction: jurisdictionSlug,
  result: answer?.result,
  bodies: answer?.bodies,
  newestMeeting: answer?.newestMeeting,
  newestAgenda: answer?.newestAgenda,
  agendaForm: answer?.agendaForm,
  reason: answer?.reason,
});

export function addProbeCommand(sources: Command, context: CliContext): void {
  const leaf = sources
    .command('probe')
    .description('read a little of sources that are not added')
    .command('registry')
    .description('print what each source of the registry publishes, from few requests; needs no installation')
    .option(...COUNTY)
    .option(...PLACE)
    .option(...ROWS);
  runs(context, 'nothing', leaf, async (_, { json = false, county, place, rows: path }) => {
    const rows = await registryRows({ county, place, rows: path });
    const { connectors, clock } = await context.openConnectors();
    const survey: SurveyClient = (source, request) => connectorOf(connectors, source).survey(request, clock);
    const answered = await withProgress(context, 'sources', (bar) =>
      probeRows(rows, { survey, clock, signal: context.stopping, progress: bar.update }),
    );
    if (json) return answered;
    const clients = Map.groupBy(answered, ({ platform, client }) => sourceKey({ source: platform, client }));
    return [...clients.values()].map(([first]) => probed(first!));
  });
}

async function planKnown(civic: Civic) {
  const sources = registrySources(await registryRows({}));
  const plan = planAdditions(sources, { everAdded: await civic.everAdded(), withListed: false });
  return plan.filter(({ outcome }) => outcome !== 'already added');
}

/** Returns the sources of the registry that are not added, and what `sources add registry` would do with each. */
export async function knownSources(civic: Civic) {
  return (await planKnown(civic)).map((planned) => ({
    ...printed(planned.source),
    addRegistry: planned.outcome === 'to add' ? 'adds it' : planned.reason,
  }));
}

/** Returns a sentence about the sources of the registry that are not added. */
export async function describeKnownSources(civic: Civic): Promise<string> {
  const known = await planKnown(civic);
  if (known.length === 0) return 'Every source of the registry is added.';
  const ready = known.filter(({ outcome }) => outcome === 'to add').length;
  return (
    `The registry names ${numbered(known.length, 'source')} that ${known.length === 1 ? 'is' : 'are'} not added; ` +
    `civic sources add registry adds ${ready} of them. civic sources list --known lists them with their evidence.`
  );
}
