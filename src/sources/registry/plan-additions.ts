import { sourceKey } from '../../../domain/events/source-events.ts';
import type { RegistrySource } from './registry-sources.ts';

export type Addition =
  | { readonly source: RegistrySource; readonly outcome: 'to add' }
  | { readonly source: RegistrySource; readonly outcome: 'already added' | 'left out'; readonly reason: string };

/** A platform of recordings has items of past meetings only, so it is added in addition to a platform of agendas. */
const RECORDINGS: ReadonlySet<string> = new Set(['swagit']);

/** Clients of these platforms share one name space, so a name might belong to another place of the same name. */
const SHARED_NAMES: ReadonlySet<string> = new Set(['legistar']);

interface PlanOptions {
  /** Every source that was ever added, by key. */
  readonly everAdded: ReadonlyMap<string, { readonly isRemoved: boolean }>;
  /** True if sources that only a list names are added too. */
  readonly withListed: boolean;
  /** Keys of sources that could not be added: another one is added for their bodies. */
  readonly failed?: ReadonlySet<string>;
}

const keysOf = ({ source, client, otherClients }: RegistrySource): readonly string[] =>
  [client, ...otherClients].map((name) => sourceKey({ source, client: name }));

/** Returns why it is not known which of several names is that of the place; null if it is. */
function doubtAbout(source: RegistrySource, sources: readonly RegistrySource[]): string | null {
  if (!SHARED_NAMES.has(source.source)) return null;
  const others = sources.filter(
    (other) =>
      other.source === source.source &&
      other.jurisdictionSlug === source.jurisdictionSlug &&
      other.client !== source.client,
  );
  const proven = others.find(({ evidence }) => evidence !== 'listed');
  if (others.length === 0 || (proven === undefined && source.evidence !== 'listed')) return null;
  const names = others.map(({ client }) => client).join(', ');
  if (proven !== undefined && source.evidence === 'listed') return `${proven.client} was seen instead`;
  return `doubtful name: ${names} is named too; civic sources probe registry --place ${source.jurisdictionSlug} tries both`;
}

/** Returns the reason that applies to a source by itself; null if there is none. */
function ownReason(source: RegistrySource, all: readonly RegistrySource[], options: PlanOptions): string | null {
  const key = sourceKey(source);
  if (options.failed?.has(key) === true) return 'it could not be added';
  if (options.everAdded.get(key)?.isRemoved === true)
    return `it was removed; civic sources add ${source.source} --client ${source.client} adds it again`;
  if (source.hasOnlyOld) return 'only meetings of earlier years were found there';
  const doubt = doubtAbout(source, all);
  if (doubt !== null) return doubt;

  if (source.evidence === 'listed' && !options.withListed)
    return 'only a list names it; --listed adds it if it answers';
  return null;
}

/**
 * Decides about each source of the registry. `sources` are ordered by evidence: a body is read from the first platform
 * of agendas, and from recordings in addition.
 */
export function planAdditions(sources: readonly RegistrySource[], options: PlanOptions): readonly Addition[] {
  const readBy = new Map<string, string>();
  const bodiesOf = ({ source, jurisdictionSlug, bodySlugs }: RegistrySource): readonly string[] =>
    RECORDINGS.has(source) ? [] : bodySlugs.map((body) => `${jurisdictionSlug} ${body}`);
  const claim = (source: RegistrySource) => {
    for (const body of bodiesOf(source)) if (!readBy.has(body)) readBy.set(body, sourceKey(source));
  };
  const addedKeyOf = (source: RegistrySource) =>
    keysOf(source).find((key) => options.everAdded.get(key)?.isRemoved === false);
  for (const source of sources) if (addedKeyOf(source) !== undefined) claim(source);
  return sources.map((source): Addition => {
    const addedKey = addedKeyOf(source);
    if (addedKey !== undefined)
      return { source, outcome: 'already added', reason: addedKey === sourceKey(source) ? '' : `as ${addedKey}` };
    const reason = ownReason(source, sources, options);
    if (reason !== null) return { source, outcome: 'left out', reason };
    const bodies = bodiesOf(source);
    const readers = bodies.flatMap((body) => readBy.get(body) ?? []);
    if (bodies.length > 0 && readers.length === bodies.length)
      return { source, outcome: 'left out', reason: `its bodies are read from ${[...new Set(readers)].join(', ')}` };
    claim(source);
    return { source, outcome: 'to add' };
  });
}
