import { readFile } from 'node:fs/promises';
import { planAdditions } from '../../sources/registry/plan-additions.ts';
import {
  parseRegistryRows,
  type RegistryRow,
  shippedRegistry,
  withLaterRows,
} from '../../sources/registry/registry.ts';
import { placesIn, type RegistryScope } from '../../sources/registry/registry-scope.ts';
import { registrySources, type RegistrySource } from '../../sources/registry/registry-sources.ts';
import { SOURCES } from '../../sources/sources.ts';
import type { Civic } from '../../app/civic.ts';
import { numbered } from '../confirm.ts';
import { CommandFailed } from '../context.ts';

export const COUNTY = ['--county <slug>', 'only places of this county, such as ellis'] as const;
export const PLACE = ['--place <slug>', "only this place; the slug of a county's court ends in -county"] as const;
export const ROWS = ['--rows <file>', 'rows of sources probe registry --json, which replace shipped ones'] as const;

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
export async function registryRows({
  rows: path,
  ...scope
}: RegistryScope & { readonly rows?: string | undefined }): Promise<readonly RegistryRow[]> {
  const places = placesIn(scope);
  const shipped = shippedRegistry().rows;
  const rows = path === undefined ? shipped : withLaterRows(shipped, await readRows(path));
  return rows.filter((row) => places.has(row.jurisdictionSlug) && Object.hasOwn(SOURCES, row.platform));
}

/** Formats a source as commands print it. */
export const printedSource = ({
  source,
  client,
  jurisdictionSlug,
  bodySlugs,
  evidence,
  evidenceDate,
}: RegistrySource) => ({
  source,
  client,
  jurisdiction: jurisdictionSlug,
  bodies: bodySlugs,
  evidence,
  evidenceDate,
});

async function planKnown(civic: Civic) {
  const sources = registrySources(await registryRows({}));
  const plan = planAdditions(sources, { everAdded: await civic.everAdded(), withListed: false });
  return plan.filter(({ outcome }) => outcome !== 'already added');
}

/** Returns the sources of the registry that are not added, and what `sources add registry` would do with each. */
export async function knownSources(civic: Civic) {
  return (await planKnown(civic)).map((planned) => ({
    ...printedSource(planned.source),
    addRegistry: planned.outcome === 'to add' ? 'adds it' : planned.reason,
  }));
}

/** Returns a sentence about the sources of the registry that are not added. */
export async function describeKnownSources(civic: Civic): Promise<string> {
  const notAdded = await planKnown(civic);
  if (notAdded.length === 0) return 'Every source of the registry is added.';
  const ready = notAdded.filter(({ outcome }) => outcome === 'to add').length;
  return (
    `The registry names ${numbered(notAdded.length, 'source')} that ${notAdded.length === 1 ? 'is' : 'are'} not added; ` +
    `civic sources add registry adds ${ready} of them. civic sources list --known lists them with their evidence.`
  );
}
