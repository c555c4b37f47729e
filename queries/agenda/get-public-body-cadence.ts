import { AGENDA, COVERAGE } from '../../projections/agenda/tables.ts';
import type { MeetingCadence } from '../../contract/get-public-body-cadence.ts';
import type { CadenceInput } from '../../contract/inputs.ts';
import type { CoveredBodySlugs } from '../../domain/coverage.ts';
import type { LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { isoTime } from '../fields.ts';
import { liveStatement, type tablesOf, withLaterColumns } from '../live-tables.ts';
import { hasSlug, isUpcoming, slugFilter, upcomingUntil } from './agenda-fields.ts';

interface GetPublicBodyCadenceDependencies extends QueryContext {
  /** Built-in pairs. Bodies of publicly added places are answered too. */
  readonly pairs: readonly CoveredBodySlugs[];
}

function cadence({
  coveredBodies,
  bodies,
  meetings,
  sources,
  isLive,
}: ReturnType<typeof tablesOf<typeof AGENDA>>): string {
  const table = withLaterColumns(meetings, ['body_id', 'source_id', 'starts_at', 'on_calendar'], {
    upcoming_until: 'bigint',
  });
  // A lookup per meeting instead of a join, so that the index scan stops at the first meeting that counts.
  const nearest = (range: string, order: string) =>
    `(select m.starts_at from ${table} m
      where m.body_id = b.body_id and m.on_calendar and ${range}
        and (select s.active from ${sources} s where s.source_id = m.source_id)
      order by m.starts_at ${order} limit 1)::text`;
  return `select ${nearest(`m.starts_at < $3::bigint and ${upcomingUntil('m')} < $3::bigint`, 'desc')} as "lastMetAt",
      ${nearest(isUpcoming('m', '$3'), 'asc')} as "nextScheduledAt", b.timezone, to_jsonb(b) ->> 'coverage' as coverage,
      b.body_slug as "bodySlug"
    from ${coveredBodies} b where b.jurisdiction_slug = $1 and ${hasSlug(bodies, 'b.body_id', '$2')} and ${isLive}
    order by b.body_slug = $2 desc, b.body_id limit 1`;
}

interface CadenceRow {
  readonly lastMetAt: string | null;
  readonly nextScheduledAt: string | null;
  readonly timezone: string;
  readonly coverage: string | null;
  readonly bodySlug: string;
}

const NO_CADENCE: MeetingCadence = { lastMetAt: null, nextScheduledAt: null, timezone: null };

const isShipped = (pairs: readonly CoveredBodySlugs[], { slug, bodySlug }: CadenceInput): boolean =>
  pairs.some((pair) => pair.jurisdictionSlug === slug && pair.slug === bodySlug);
const notPublished = () => new Rejection('not_found', 'the cadence of this body is not published');

/** Returns the answer for when the meetings cannot be read. Throws `not_found` for a pair that is not built in. */
export function unreadCadence(pairs: readonly CoveredBodySlugs[], input: CadenceInput): MeetingCadence {
  if (!isShipped(pairs, input)) throw notPublished();
  return NO_CADENCE;
}

/**
 * Returns the last and the next meeting of a covered body (GET …/bodies/{bodySlug}/cadence), by a current or former
 * slug. Both are null if the body is not active. Throws `not_found` for any other pair, unless its place was added
 * publicly.
 */
export const createGetPublicBodyCadence =
  ({ reads, clock, pairs }: GetPublicBodyCadenceDependencies) =>
  async (request: CadenceInput): Promise<MeetingCadence> => {
    const values = [slugFilter(request.slug), slugFilter(request.bodySlug), clock.now()];
    const [row] = await reads.rows<CadenceRow>(liveStatement(AGENDA, { name: 'cadence', text: cadence, values }));
    const bodySlug = row?.bodySlug ?? request.bodySlug;
    if (row?.coverage !== COVERAGE.public && !isShipped(pairs, { ...request, bodySlug })) throw notPublished();
    if (row === undefined) return NO_CADENCE;
    const { lastMetAt, nextScheduledAt, timezone } = row;
    return { lastMetAt: isoTime(lastMetAt), nextScheduledAt: isoTime(nextScheduledAt), timezone };
  };

export interface PublishedCadence {
  readonly jurisdictionSlug: string;
  readonly bodySlug: string;
}

/** Returns the pairs that have a cadence: the built-in ones, and bodies of publicly added places. */
export const createListPublishedCadences =
  ({ reads, pairs }: { readonly reads: LiveReads; readonly pairs: readonly CoveredBodySlugs[] }) =>
  async (): Promise<readonly PublishedCadence[]> => {
    const added = await reads.rows<PublishedCadence>(
      liveStatement(AGENDA, {
        name: 'published_cadences',
        // Read the row as JSON, because an older build of the read model lacks the column.
        text: ({
          coveredBodies,
          isLive,
        }) => `select b.jurisdiction_slug as "jurisdictionSlug", b.body_slug as "bodySlug"
          from ${coveredBodies} b where to_jsonb(b) ->> 'coverage' = '${COVERAGE.public}' and ${isLive}`,
      }),
    );
    const shipped = pairs.map(({ jurisdictionSlug, slug }) => ({ jurisdictionSlug, bodySlug: slug }));
    const all = [...shipped, ...added].map(({ jurisdictionSlug, bodySlug }) => `${jurisdictionSlug}/${bodySlug}`);
    return [...new Set(all)].toSorted().map((pair) => {
      const [jurisdictionSlug, bodySlug] = pair.split('/');
      return { jurisdictionSlug: jurisdictionSlug!, bodySlug: bodySlug! };
    });
  };
