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

const NO_CADENCE: MeetingCadence = { lastMetAt: null, nextScheduledAt: null, timezone: null };

const isShipped = (pairs: readonly CoveredBodySlugs[], { slug, bodySlug }: CadenceInput): boolean =>
  pairs.some((pair) => pair.jurisdictionSlug === slug && pair.slug === bodySlug);
const notPublished = () => new Rejection('not_found', 'the cadence of this body is not published');

/** The answer where the meetings cannot be read. Throws `not_found` for a pair that is not of the shipped ones. */
export function unreadCadence(pairs: readonly CoveredBodySlugs[], asked: CadenceInput): MeetingCadence {
  if (!isShipped(pairs, asked)) throw notPublished();
  return NO_CADENCE;
}

/**
 * The last and the next meeting of a covered body (GET …/bodies/{bodySlug}/cadence), and nulls where the body is not active. Throws
 * `not_found` for any other pair, unless its place was added publicly.
 */
export const createGetPublicBodyCadence =
  ({ reads, clock, pairs }: GetPublicBodyCadenceDependencies) =>
  async (asked: CadenceInput): Promise<MeetingCadence> => {
    const [row] = await liveRows(reads, AGENDA, {
      name: 'cadence',
      text: cadence,
      values: [slugFilter(asked.slug), slugFilter(asked.bodySlug), clock.now()],
    });
    if (row?.[3] !== COVERAGE.public && !isShipped(pairs, asked)) throw notPublished();
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
