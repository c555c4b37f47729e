import { AGENDA, COVERAGE } from '../../projections/agenda/tables.ts';
import type { MeetingCadence } from '../../contract/get-public-body-cadence.ts';
import type { CadenceInput } from '../../contract/inputs.ts';
import type { CoveredBodySlugs } from '../../domain/coverage.ts';
import type { LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { isoTime } from '../fields.ts';
import { liveRows, tablesOf, withLaterColumns } from '../live-tables.ts';
import { isUpcoming, slugFilter, upcomingUntil } from './agenda-fields.ts';

interface GetPublicBodyCadenceDependencies extends QueryContext {
  /** The shipped pairs; bodies of places that were added publicly are answered too. */
  readonly pairs: readonly CoveredBodySlugs[];
}

function cadence({ coveredBodies, meetings, sources, isLive }: ReturnType<typeof tablesOf<typeof AGENDA>>): string {
  const table = withLaterColumns(meetings, ['body_id', 'source_id', 'starts_at', 'on_calendar'], { upcoming_until: 'bigint' });
  // A look-up per meeting instead of a join: the scan of the index stops at the first meeting that counts.
  const nearest = (range: string, order: string) =>
    `(select m.starts_at from ${table} m
      where m.body_id = b.body_id and m.on_calendar and ${range}
        and (select s.active from ${sources} s where s.source_id = m.source_id)
      order by m.starts_at ${order} limit 1)::text`;
  return `select ${nearest(`m.starts_at < $3::bigint and ${upcomingUntil('m')} < $3::bigint`, 'desc')},
      ${nearest(isUpcoming('m', '$3'), 'asc')}, b.timezone, to_jsonb(b) ->> 'coverage'
    from ${coveredBodies} b where b.jurisdiction_slug = $1 and b.body_slug = $2 and ${isLive}`;
}

/** The answer where the meetings cannot be read, and where the body is not active. */
export const NO_CADENCE: MeetingCadence = { lastMetAt: null, nextScheduledAt: null, timezone: null };

const notPublished = () => new Rejection('not_found', 'the cadence of this body is not published');

/**
 * The last and the next meeting of a covered body (GET …/bodies/{bodySlug}/cadence). Any other pair is answered 404, unless its place was
 * added publicly; also where the meetings cannot be read.
 */
export const createGetPublicBodyCadence =
  ({ reads, clock, pairs }: GetPublicBodyCadenceDependencies) =>
  async ({ slug, bodySlug }: CadenceInput): Promise<MeetingCadence> => {
    const isListed = pairs.some((pair) => pair.jurisdictionSlug === slug && pair.slug === bodySlug);
    const reading = liveRows(reads, AGENDA, {
      name: 'cadence',
      text: cadence,
      values: [slugFilter(slug), slugFilter(bodySlug), clock.now()],
    });
    const [row] = await (isListed ? reading : reading.catch(() => Promise.reject(notPublished())));
    if (!isListed && row?.[3] !== COVERAGE.public) throw notPublished();
    return row === undefined ? NO_CADENCE : { lastMetAt: isoTime(row[0]), nextScheduledAt: isoTime(row[1]), timezone: row[2]! };
  };

export interface PublishedCadence {
  readonly jurisdictionSlug: string;
  readonly bodySlug: string;
}

/** The pairs for which a cadence is answered: the shipped ones, and bodies of places that were added publicly. */
export const createListPublishedCadences =
  ({ reads, pairs }: { readonly reads: LiveReads; readonly pairs: readonly CoveredBodySlugs[] }) =>
  async (): Promise<readonly PublishedCadence[]> => {
    const added = await liveRows(reads, AGENDA, {
      name: 'published_cadences',
      // By way of JSON: an older build of the read model has no such column.
      text: ({ coveredBodies, isLive }) => `select b.jurisdiction_slug, b.body_slug from ${coveredBodies} b
        where to_jsonb(b) ->> 'coverage' = '${COVERAGE.public}' and ${isLive}`,
      values: [],
    });
    const all = [...pairs.map(({ jurisdictionSlug, slug }) => [jurisdictionSlug, slug]), ...added].map(
      ([place, body]) => `${place}/${body}`,
    );
    return [...new Set(all)].toSorted().map((pair) => {
      const [jurisdictionSlug, bodySlug] = pair.split('/');
      return { jurisdictionSlug: jurisdictionSlug!, bodySlug: bodySlug! };
    });
  };
