import { EVIDENCE, type RegistryRow } from './registry.ts';

/** A client of a platform with every body of its place that the registry names there. */
export interface RegistrySource {
  readonly source: string;
  readonly client: string;
  readonly jurisdictionSlug: string;
  readonly bodySlugs: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly baseUrl?: string;
  readonly evidence: RegistryRow['evidence'];
  readonly evidenceDate: string | null;
  readonly hasOnlyOld: boolean;
  /** Other addresses of the same site. */
  readonly otherClients: readonly string[];
}

/** A CivicPlus site of a place has several host names: one of the supplier, which redirects, and the site's own. */
const MANY_HOSTS = 'civicplus';

const rankOf = ({ evidence }: Pick<RegistryRow, 'evidence'>): number => EVIDENCE.indexOf(evidence);

/** Orders by evidence, then by its day, the newest first; then by name. */
export function compareEvidence(
  left: Pick<RegistryRow, 'evidence' | 'evidenceDate' | 'client'>,
  right: Pick<RegistryRow, 'evidence' | 'evidenceDate' | 'client'>,
): number {
  const [before, after] = [left.evidenceDate ?? '', right.evidenceDate ?? ''];
  if (rankOf(left) !== rankOf(right)) return rankOf(left) - rankOf(right);
  if (before !== after) return before < after ? 1 : -1;
  return left.client < right.client ? -1 : 1;
}

/**
 * A site lists all of its bodies, so the category of the body that someone looked for says nothing about the others.
 */
const OF_ONE_BODY: ReadonlySet<string> = new Set(['category']);

/** An option narrows a source, so it counts only if every row has it. */
function mergeOptions(rows: readonly RegistryRow[]): Readonly<Record<string, string>> {
  const names = Object.keys(rows[0]!.options ?? {}).filter((name) => !OF_ONE_BODY.has(name));
  const shared = names.filter((name) => rows.every(({ options }) => options?.[name] !== undefined));
  return Object.fromEntries(
    shared.map((name) => [name, [...new Set(rows.map(({ options }) => options![name]!))].join(',')]),
  );
}

/** Returns the options of a request to the client of the rows. */
export function clientOptions(rows: readonly RegistryRow[]): Readonly<Record<string, string>> {
  const { baseUrl } = rows.find((row) => row.baseUrl !== undefined) ?? {};
  return { ...mergeOptions(rows), ...(baseUrl !== undefined && { baseUrl }) };
}

function sourceOf(rows: readonly RegistryRow[]): RegistrySource {
  const sorted = rows.toSorted(compareEvidence);
  const best = sorted[0]!;
  const ofClient = sorted.filter(({ client }) => client === best.client);
  const { baseUrl } = ofClient.find((row) => row.baseUrl !== undefined) ?? {};
  return {
    source: best.platform,
    client: best.client,
    jurisdictionSlug: best.jurisdictionSlug,
    bodySlugs: [...new Set(sorted.map(({ bodySlug }) => bodySlug))].toSorted(),
    options: mergeOptions(sorted),
    ...(baseUrl !== undefined && { baseUrl }),
    evidence: best.evidence,
    evidenceDate: best.evidenceDate,
    hasOnlyOld: ofClient.every(({ onlyOld }) => onlyOld === true),
    otherClients: [...new Set(sorted.map(({ client }) => client))].filter((client) => client !== best.client),
  };
}

/** Returns the sources that the rows name, the best evidence first. Several host names of one site are one source. */
export function registrySources(rows: readonly RegistryRow[]): readonly RegistrySource[] {
  const groups = Map.groupBy(rows, ({ platform, client, jurisdictionSlug }) =>
    platform === MANY_HOSTS ? `${platform} ${jurisdictionSlug}` : `${platform}:${client}`,
  );
  return [...groups.values()].map(sourceOf).toSorted(compareEvidence);
}
