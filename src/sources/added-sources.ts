import { readSourceList } from '../../commands/sources/source-list.ts';
import { type AddedSource, sourceKey, type SourceRef } from '../../domain/events/source-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { PublishedRecords } from '../../domain/ports/projection.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { type SourceStatus, sourceStatusAt } from '../../domain/health.ts';
import { type Connector, SyncRefused, type SyncRequest } from './source.ts';
import type { SourceName } from './sources.ts';

export type Connectors = Readonly<Record<SourceName, Connector>>;

/** Sources that are added now. */
export const addedSources = async (log: EventLog): Promise<readonly AddedSource[]> =>
  [...(await readSourceList(log)).values()].filter(({ isRemoved }) => !isRemoved).map(({ isRemoved: _isRemoved, ...added }) => added);

/** The request with what an added source states; that of another source stays as it is. */
export async function requestOf(log: EventLog, source: SourceName, request: SyncRequest): Promise<SyncRequest> {
  const added = (await readSourceList(log)).get(sourceKey({ source, client: request.client }));
  if (added === undefined || added.isRemoved) return request;
  return { ...request, place: added.jurisdiction, options: { baseUrl: added.baseUrl, ...definedOf(request.options) } };
}

const definedOf = <Value>(options: Readonly<Record<string, Value | undefined>>) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** The worst of the statuses of a source's records comes first. */
const STATUSES: readonly SourceStatus[] = ['failing', 'stale', 'unknown', 'unsupported', 'healthy'];

interface SourceState extends SourceRef {
  readonly jurisdiction: string;
  readonly timezone: string;
  readonly isPublic: boolean;
  readonly status: SourceStatus | 'not read yet';
  readonly bodies: number;
  readonly lastCheckedAt: string | null;
  readonly lastSuccessfulCheckAt: string | null;
  readonly consecutiveFailures: number;
  /** Rows that the last check left out, and events that it published without a stated time. */
  readonly skipped: number;
  readonly degraded: number;
}

/** What the records of an added source say of its last check. `now` in milliseconds. */
export async function stateOf(connectors: Connectors, known: PublishedRecords, added: AddedSource, now: number): Promise<SourceState> {
  const { source, client, jurisdiction, isPublic } = added;
  const checks = await connectorOf(connectors, source).checks({ client, place: jurisdiction }, known);
  const statuses = checks.map((check) => sourceStatusAt(check.status, time(check.lastSuccessfulCheckAt), now));
  const newest = (field: 'lastCheckedAt' | 'lastSuccessfulCheckAt') =>
    checks
      .flatMap((check) => check[field] ?? [])
      .toSorted()
      .at(-1) ?? null;
  const sum = (numberOf: (check: RecordData<'sources'>) => number | undefined) =>
    checks.reduce((all, check) => all + (numberOf(check) ?? 0), 0);
  return {
    source,
    client,
    jurisdiction: jurisdiction.slug,
    timezone: jurisdiction.timezone,
    isPublic,
    status: STATUSES.find((status) => statuses.includes(status)) ?? 'not read yet',
    bodies: checks.length,
    lastCheckedAt: newest('lastCheckedAt'),
    lastSuccessfulCheckAt: newest('lastSuccessfulCheckAt'),
    consecutiveFailures: Math.max(0, ...checks.map((check) => check.consecutiveFailures)),
    skipped:
      sum((check) => (check.lastCheckSkipped ?? 0) - (check.lastCheckSkippedShared ?? 0)) +
      Math.max(0, ...checks.map((check) => check.lastCheckSkippedShared ?? 0)),
    degraded: sum((check) => check.lastCheckDegraded),
  };
}

const time = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** Throws `SyncRefused` for a platform that this version does not know. */
export function connectorOf(connectors: Connectors, source: string): Connector {
  if (!Object.hasOwn(connectors, source))
    throw new SyncRefused(`this version has no source ${source}; it has ${Object.keys(connectors).join(', ')}`);
  return connectors[source as SourceName];
}
