import { sql } from 'slonik';
import { z } from 'zod';
import type { LiveGeneration, QueryContext } from '../../domain/ports/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { isPublic, slugFilter } from '../agenda/agenda-fields.ts';
import { liveTokens, programSql, tablesOf } from '../live-tables.ts';
import { SOURCE_COLUMNS, sourceColumns, sourceFacts, type SourceFacts, sourceTable } from './source-facts.ts';

export interface PlaceBody {
  readonly bodyId: string;
  readonly slug: string;
  /** Current and former slugs of the body. */
  readonly slugs: readonly string[];
  readonly name: string;
  readonly timezone: string;
  /** True if the hits of the body are public. */
  readonly covered: boolean;
  readonly source: SourceFacts;
}

export interface Place {
  readonly slug: string;
  readonly name: string;
  readonly bodies: readonly PlaceBody[];
}

const placeRow = z.object({
  placeSlug: z.string(),
  placeName: z.string(),
  /** The columns of the body are null if the place has none. */
  bodyId: z.string().nullable(),
  slug: z.string().nullable(),
  name: z.string().nullable(),
  timezone: z.string().nullable(),
  covered: z.boolean(),
  slugs: z.string().nullable(),
  ...sourceColumns,
});

function placeRows(live: LiveGeneration, jurisdictionSlug: string) {
  const { jurisdictions, bodies, coveredBodies, isLive } = liveTokens(AGENDA, live);
  const { sources } = tablesOf(AGENDA, live(AGENDA.name));
  return sql.type(placeRow)`
    select j.slug as "placeSlug", j.name as "placeName", b.body_id as "bodyId", b.slug, b.name, b.timezone,
      exists (select from ${coveredBodies} c where c.body_id = b.body_id and ${programSql(isPublic('c'))}) as covered,
      to_jsonb(b) ->> 'slugs' as slugs, ${programSql(SOURCE_COLUMNS)}
    from (
      select * from ${jurisdictions} where slug = ${slugFilter(jurisdictionSlug)}
      order by created_at, jurisdiction_id limit 1
    ) j
    left join lateral (
      select distinct on (slug) * from ${bodies} where jurisdiction_id = j.jurisdiction_id
      order by slug, created_at, body_id
    ) b on true
    left join lateral ${programSql(sourceTable(sources, 'null::uuid', 'b.body_id'))} on true
    where ${isLive} order by b.name, b.slug`;
}

/**
 * Returns a jurisdiction with its bodies ordered by name, or null. If several records share a slug, the oldest counts.
 */
export const createReadPlace =
  ({ reads, clock }: QueryContext) =>
  async (jurisdictionSlug: string): Promise<Place | null> => {
    const rows = await reads.many((live) => placeRows(live, jurisdictionSlug));
    const [first] = rows;
    if (first === undefined) return null;
    const now = clock.now();
    const bodies = rows.flatMap(({ bodyId, slug, name, timezone, covered, slugs, ...source }): PlaceBody[] =>
      bodyId === null
        ? []
        : [
            {
              bodyId,
              slug: slug!,
              slugs: slugs?.split(' ') ?? [],
              name: name!,
              timezone: timezone!,
              covered,
              source: sourceFacts(source, now),
            },
          ],
    );
    return { slug: first.placeSlug, name: first.placeName, bodies };
  };
