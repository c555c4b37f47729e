import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { BatchedWriter } from '../batched-writer.ts';
import { catalogueSource, catalogueSourceId, COVERED_BODIES, NEVER_CHECKED } from '../catalogue/catalogue-records.ts';
import type { ClientPlace } from './bodies.ts';
import { legistarSourceId } from './own-records.ts';
import { type CheckedSource, SyncRun } from './sync-run.ts';
import { type Source, SyncRefused, type SyncReport, type SyncRequest, type SyncTarget, upsert } from '../source.ts';

export const LEGISTAR: Source = {
  description: 'a client of the Legistar Web API',
  client: 'the client as its Web API names it',
  options: [
    ['--base-url <url>', 'another address of the Web API; it ends in /v1'],
    ['--from <folder>', 'read recorded responses from <folder>/<client> instead'],
    ['--since <date>', 'every event dated on or after YYYY-MM-DD, instead of what was modified lately'],
    ['--jurisdiction <slug>', 'jurisdiction of a client outside the shipped table'],
  ],
  check: ({ baseUrl, from }) => {
    if (baseUrl !== undefined && from !== undefined) throw new SyncRefused('give --base-url or --from, not both');
  },
};

export type LegistarReport = Awaited<ReturnType<typeof syncLegistar>>;

/** Appends only source checks where nothing changed. Throws `SyncRefused`; a source that fails is in the report's `failure`. */
export async function syncLegistar(reader: LegistarReader, request: SyncRequest, target: SyncTarget) {
  const run = new SyncRun(reader, request, target);
  const rejected: SyncReport['rejected'][number][] = [];
  const inOrder = () => new BatchedWriter(target.writer, 1, ({ resource, id }, reason) => void rejected.push({ resource, id, reason }));
  const [records, checks] = [inOrder(), inOrder()];
  let failure: string | null = null;
  try {
    await run.readAndWrite(records);
  } catch (error) {
    if (!(error instanceof SourceUnavailable) && !(error instanceof UnknownSourceClient)) throw error;
    failure = error.message;
  }
  await records.flush();
  const { place, siteUrl, failedSources } = run;
  const at = new Date(target.clock.now()).toISOString();
  const sources = failure === null ? run.sources : await publishedSources(target.known, request.client, place);
  await checks.add(
    sources.map((source) => {
      const succeeded = failure === null && !failedSources.has(source.sourceId);
      return sourceCheckChange(source, place, { at, succeeded, siteUrl: failure === null ? siteUrl : null });
    }),
  );
  await checks.flush();
  const positions = [records.position, checks.position].filter((position) => position !== null);
  return {
    client: request.client,
    jurisdictionSlug: place.jurisdictionSlug,
    read: run.read,
    appended: records.appended,
    unchanged: records.unchanged,
    removed: records.removed,
    rejected,
    skipped: run.skipped,
    /** `sources` records whose check was recorded; `appended` does not count them. */
    sourcesChecked: checks.appended,
    /** Events that are listed but could not be read; none of their records was removed. */
    failedEvents: run.failedEvents,
    failure,
    position: positions.toSorted().at(-1) ?? null,
  };
}

/** For a run that cannot read the list of bodies. */
async function publishedSources(known: PublishedRecords, client: string, place: ClientPlace): Promise<readonly CheckedSource[]> {
  const sources = await known.current('sources', await known.referring('sources', 'jurisdictionId', [place.jurisdictionId]));
  return [...sources].flatMap(([sourceId, current]) => {
    const adopted = place.adopted.find((body) => body.sourceId === sourceId);
    const publicBodyId = adopted?.publicBodyId ?? current.publicBodyId;
    if (publicBodyId === null) return [];
    return adopted !== undefined || sourceId === legistarSourceId(client, publicBodyId) ? [{ sourceId, publicBodyId, current }] : [];
  });
}

function contentBefore({ sourceId, publicBodyId, current }: CheckedSource, jurisdictionId: string): RecordContent<'sources'> {
  if (current !== undefined) {
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = current;
    return content;
  }
  const covered = COVERED_BODIES.find((row) => catalogueSourceId(row.jurisdictionSlug, row.slug) === sourceId);
  if (covered !== undefined) return catalogueSource(covered);
  return { jurisdictionId, publicBodyId, sourceType: 'legistar', sourceTypeLabel: 'Legistar', officialSourceUrl: null, ...NEVER_CHECKED };
}

/** The change of a source's record by a run: the time of the check (ISO 8601), its result, and the address of the site where the run saw one. */
function sourceCheckChange(
  source: CheckedSource,
  { jurisdictionId }: ClientPlace,
  check: { readonly at: string; readonly succeeded: boolean; readonly siteUrl: string | null },
): RecordChange {
  const before = contentBefore(source, jurisdictionId);
  return upsert('sources', source.sourceId, {
    ...before,
    officialSourceUrl: before.officialSourceUrl ?? check.siteUrl,
    status: check.succeeded ? 'healthy' : 'failing',
    lastCheckedAt: check.at,
    lastSuccessfulCheckAt: check.succeeded ? check.at : (before.lastSuccessfulCheckAt ?? null),
    consecutiveFailures: check.succeeded ? 0 : before.consecutiveFailures + 1,
  });
}
