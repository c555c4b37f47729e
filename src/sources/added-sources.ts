import { readSourceList } from '../../commands/sources/source-list.ts';
import { type AddedSource, sourceKey } from '../../domain/events/source-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { CheckReason, SourceCheck } from '../../domain/ports/source-checks.ts';
import type { PublishedRecords } from '../../domain/ports/projection.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { type SourceStatus, sourceStatusAt } from '../../domain/health.ts';
import { type Connector, SyncRefused, type SyncRequest } from './source.ts';
import type { SourceName } from './sources.ts';

export type Connectors = Readonly<Record<SourceName, Connector>>;

/** Sources that are added now. */
export const addedSources = async (log: EventLog): Promise<readonly AddedSource[]> =>
  [...(await readSourceList(log)).values()]
    .filter(({ isRemoved }) => !isRemoved)
    .map(({ isRemoved: _isRemoved, ...added }) => added);

/** Adds the settings of an added source to its request. Returns the request of any other source unchanged. */
export async function requestOf(log: EventLog, source: SourceName, request: SyncRequest): Promise<SyncRequest> {
  const added = (await readSourceList(log)).get(sourceKey({ source, client: request.client }));
  if (added === undefined || added.isRemoved) return request;
  return {
    ...request,
    place: added.jurisdiction,
    options: { baseUrl: added.baseUrl, ...added.options, ...definedOf(request.options) },
  };
}

const definedOf = <Value>(options: Readonly<Record<string, Value | undefined>>) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** The worst of the statuses of a source's records comes first. */
const STATUSES: readonly SourceStatus[] = ['failing', 'stale', 'unknown', 'unsupported', 'healthy'];

interface SourceState {
  /** A platform; for a source that was not added, the type of its records. */
  readonly source: string;
  /** Null for a source that was read without being added, such as by `sources sync` alone. */
  readonly client: string | null;
  readonly jurisdiction: string;
  /** The next two are null if `client` is. */
  readonly timezone: string | null;
  readonly isPublic: boolean | null;
  readonly status: SourceStatus | 'not read yet';
  readonly bodies: number;
  readonly lastCheckedAt: string | null;
  readonly lastSuccessfulCheckAt: string | null;
  readonly consecutiveFailures: number;
  /** Rows that the last check left out, and events that it published incompletely. */
  readonly skipped: number;
  readonly degraded: number;
  /** Reason why the last check failed; null if it succeeded. */
  readonly failure: string | null;
  /** Reason why the last sync left out rows or published meetings incompletely. */
  readonly reasons: readonly CheckReason[];
}

/** The source list of every process, and the records of their checks. */
interface StatedSources {
  readonly connectors: Connectors;
  readonly known: PublishedRecords;
  readonly added: readonly AddedSource[];
  readonly syncs: readonly SourceCheck[];
  /** Every source of the read models, as health shows it. */
  readonly read: readonly {
    readonly sourceId: string;
    readonly jurisdictionSlug: string;
    readonly sourceType: string;
  }[];
}

/** Returns the last check of every added source and of every other source that was ever checked. */
export async function statesOf({ connectors, known, added, syncs, read }: StatedSources, now: number) {
  const checksOfAdded = await Promise.all(added.map((each) => checksOf(connectors, known, each)));
  const ofAdded = new Set(checksOfAdded.flat().map(({ id }) => id));
  const others = Object.groupBy(
    read.filter(({ sourceId }) => !ofAdded.has(sourceId)),
    ({ jurisdictionSlug, sourceType }) => `${jurisdictionSlug} ${sourceType}`,
  );
  const otherStates = Object.values(others).map(async (group = []): Promise<SourceState | null> => {
    const records = await known.current(
      'sources',
      group.map(({ sourceId }) => sourceId),
    );
    const checks = [...records.values()].filter(({ active, lastCheckedAt }) => active && lastCheckedAt !== null);
    const [{ sourceType, jurisdictionSlug } = { sourceType: '', jurisdictionSlug: '' }] = group;
    if (checks.length === 0) return null;
    return {
      source: sourceType,
      client: null,
      jurisdiction: jurisdictionSlug,
      timezone: null,
      isPublic: null,
      ...sumUp(checks, now),
      reasons: reasonsOf(
        syncs,
        checks.map(({ id }) => id),
      ),
    };
  });
  const syncByKey = new Map(syncs.map((sync) => [sync.sourceKey, sync]));
  return [
    ...added.map((each, at) =>
      stateOfAdded(each, { checks: checksOfAdded[at]!, sync: syncByKey.get(sourceKey(each)) }, now),
    ),
    ...(await Promise.all(otherStates)).filter((state) => state !== null),
  ];
}

/** Returns the result of the last check of an added source. `now` is in milliseconds. */
export async function stateOf(
  connectors: Connectors,
  known: PublishedRecords,
  { added, sync, now }: { readonly added: AddedSource; readonly sync?: SourceCheck; readonly now: number },
): Promise<SourceState> {
  return stateOfAdded(added, { checks: await checksOf(connectors, known, added), sync }, now);
}

async function checksOf(connectors: Connectors, known: PublishedRecords, added: AddedSource) {
  const { source, client, jurisdiction } = added;
  return connectorOf(connectors, source).checks({ client, place: jurisdiction }, known);
}

interface LastCheck {
  readonly checks: readonly RecordData<'sources'>[];
  readonly sync: SourceCheck | undefined;
}

/** A source whose first sync failed has no records of checks. */
function stateOfAdded(added: AddedSource, { checks, sync }: LastCheck, now: number): SourceState {
  const { source, client, jurisdiction, isPublic } = added;
  const active = checks.filter((check) => check.active);
  const { slug, timezone } = jurisdiction;
  const failure = active.length === 0 ? (sync?.failure ?? null) : null;
  return {
    source,
    client,
    jurisdiction: slug,
    timezone,
    isPublic,
    ...sumUp(active, now),
    ...(failure !== null && {
      status: 'failing',
      lastCheckedAt: new Date(sync!.checkedAt).toISOString(),
      consecutiveFailures: sync!.failures,
      failure,
    }),
    reasons: sync?.reasons ?? [],
  };
}

/** Returns the reasons of the syncs that checked one of these records. */
function reasonsOf(syncs: readonly SourceCheck[], sourceIds: readonly string[]): readonly CheckReason[] {
  const ids = new Set(sourceIds);
  return syncs.filter((sync) => sync.sourceIds.some((id) => ids.has(id))).flatMap(({ reasons }) => reasons);
}

function sumUp(checks: readonly RecordData<'sources'>[], now: number) {
  const statuses = checks.map((check) => sourceStatusAt(check.status, time(check.lastSuccessfulCheckAt), now));
  const newest = (field: 'lastCheckedAt' | 'lastSuccessfulCheckAt') =>
    checks
      .flatMap((check) => check[field] ?? [])
      .toSorted()
      .at(-1) ?? null;
  const most = (numberOf: (check: RecordData<'sources'>) => number | undefined) =>
    checks.reduce((all, check) => Math.max(all, numberOf(check) ?? 0), 0);
  const sum = (numberOf: (check: RecordData<'sources'>) => number | undefined) =>
    checks.reduce((all, check) => all + (numberOf(check) ?? 0), 0);
  const status: SourceState['status'] = STATUSES.find((each) => statuses.includes(each)) ?? 'not read yet';
  return {
    status,
    bodies: checks.length,
    lastCheckedAt: newest('lastCheckedAt'),
    lastSuccessfulCheckAt: newest('lastSuccessfulCheckAt'),
    consecutiveFailures: most((check) => check.consecutiveFailures),
    skipped:
      sum((check) => (check.lastCheckSkipped ?? 0) - (check.lastCheckSkippedShared ?? 0)) +
      most((check) => check.lastCheckSkippedShared),
    degraded: sum((check) => check.lastCheckDegraded),
    failure: checks.find((check) => check.lastCheckFailure !== undefined)?.lastCheckFailure ?? null,
  };
}

const time = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** Throws `SyncRefused` for a platform that this version does not know. */
export function connectorOf(connectors: Connectors, source: string): Connector {
  if (!Object.hasOwn(connectors, source))
    throw new SyncRefused(`this version has no source ${source}; it has ${Object.keys(connectors).join(', ')}`);
  return connectors[source as SourceName];
}
