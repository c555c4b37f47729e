import type { Command } from '@commander-js/extra-typings';
import { sourceKey } from '../../../domain/events/source-events.ts';
import { SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import { JURISDICTIONS, REGION_TIME_ZONE } from '../../sources/catalogue/catalogue-records.ts';
import { eachByPlatform } from '../../sources/registry/each-by-platform.ts';
import { type Addition, planAdditions } from '../../sources/registry/plan-additions.ts';
import { registrySources, type RegistrySource } from '../../sources/registry/registry-sources.ts';
import { IGNORE_ROBOTS } from '../../sources/source.ts';
import { type SourceName, SOURCES } from '../../sources/sources.ts';
import type { Civic } from '../../app/civic.ts';
import type { CliContext } from '../context.ts';
import { withProgress } from '../progress-bar.ts';
import { DEADLINE_MS, runs, waitUntilVisible } from '../verb.ts';
import { COUNTY, PLACE, printedSource, registryRows, ROWS } from './source-registry.ts';

/** Timeout for the answer of one client, in milliseconds. */
const ANSWER_MS = 60_000;

interface Choices {
  readonly isPublic: boolean;
  readonly ignoresRobots: boolean;
}

const hasRobots = (source: string): boolean =>
  Object.hasOwn(SOURCES, source) && SOURCES[source as SourceName].ownOptions?.includes(IGNORE_ROBOTS) === true;

function addedOf(
  { source, client, jurisdictionSlug, baseUrl, options: registered }: RegistrySource,
  { isPublic, ignoresRobots }: Choices,
) {
  const options = { ...registered, ...(ignoresRobots && hasRobots(source) && { ignoreRobots: 'true' }) };
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

interface Additions extends Choices {
  readonly sources: readonly RegistrySource[];
  readonly withListed: boolean;
}

/** Formats the result for a source that was added or skipped. */
function outcomeOf({ source, ...decided }: Addition, outcomes: ReadonlyMap<string, Outcome>) {
  const outcome = outcomes.get(sourceKey(source));
  const reason = 'reason' in decided ? decided.reason || null : null;
  return {
    ...printedSource(source),
    outcome: outcome?.outcome ?? decided.outcome,
    reason: outcome === undefined ? reason : outcome.reason,
  };
}

/** Adds the sources that answer. If one does not, tries another source of its bodies. */
async function addSources(context: CliContext, civic: Civic, { sources, withListed, ...choices }: Additions) {
  const outcomes = new Map<string, Outcome>();
  const failed = new Set<string>();
  for (;;) {
    const plan = planAdditions(sources, { everAdded: await civic.everAdded(), withListed, failed });
    const toAdd = plan.flatMap(({ source, outcome }) => (outcome === 'to add' ? [source] : []));
    if (toAdd.length === 0) return plan.map((planned) => outcomeOf(planned, outcomes));
    await addEach(context, civic, { toAdd, choices, outcomes });
    for (const [key, { outcome }] of outcomes) if (outcome === 'left out') failed.add(key);
  }
}

async function addEach(
  context: CliContext,
  civic: Civic,
  {
    toAdd,
    choices,
    outcomes,
  }: { readonly toAdd: readonly RegistrySource[]; readonly choices: Choices; readonly outcomes: Map<string, Outcome> },
): Promise<void> {
  let completed = 0;
  await withProgress(context, 'sources', async (bar) => {
    await eachByPlatform(toAdd, async (source) => {
      context.stopping.throwIfAborted();
      outcomes.set(sourceKey(source), await addSource(context, civic, addedOf(source, choices)));
      bar.update((completed += 1), toAdd.length);
    });
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
    .option(...IGNORE_ROBOTS)
    .option(...ROWS);
  runs(context, 'projector', leaf, async (civic, options) => {
    const { listed: withListed = false, public: isPublic = false, ignoreRobots: ignoresRobots = false } = options;
    const sources = registrySources(await registryRows(options));
    const printedRows = await addSources(context, civic, { sources, withListed, isPublic, ignoresRobots });
    await waitUntilVisible(context, civic, await civic.log.head());
    return printedRows;
  });
}
