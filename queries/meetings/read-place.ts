import type { QueryContext } from '../../domain/ports/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { isPublic, slugFilter } from '../agenda/agenda-fields.ts';
import { liveRows } from '../live-tables.ts';
import { SOURCE_COLUMNS, sourceFacts, type SourceFacts, sourceTable } from './source-facts.ts';

export interface PlaceBody {
  readonly bodyId: string;
  readonly slug: string;
  readonly name: string;
  readonly timezone: string;
  /** Whether its hits are public. */
  readonly covered: boolean;
  readonly source: SourceFacts;
}

export interface Place {
  readonly slug: string;
  readonly name: string;
  readonly bodies: readonly PlaceBody[];
}

/** A jurisdiction with its bodies by name, or null. Of several records with one slug the oldest has it. */
export const createReadPlace =
  ({ reads, clock }: QueryContext) =>
  async (jurisdictionSlug: string): Promise<Place | null> => {
    const rows = await liveRows(reads, AGENDA, {
      name: 'place',
      text: ({ jurisdictions, bodies, coveredBodies, sources, isLive }) => `
        select j.slug, j.name, b.body_id, b.slug, b.name, b.timezone, exists (
            select from ${coveredBodies} c where c.body_id = b.body_id and ${isPublic('c')}
          ),
          ${SOURCE_COLUMNS}
        from (select * from ${jurisdictions} where slug = $1 order by created_at, jurisdiction_id limit 1) j
        left join lateral (
          select distinct on (slug) * from ${bodies} where jurisdiction_id = j.jurisdiction_id order by slug, created_at, body_id
        ) b on true
        left join lateral ${sourceTable(sources, 'null::uuid', 'b.body_id')} on true
        where ${isLive} order by b.name, b.slug`,
      values: [slugFilter(jurisdictionSlug)],
    });
    const [first] = rows;
    if (first === undefined) return null;
    const now = clock.now();
    const bodies = rows.flatMap(([, , bodyId, slug, name, timezone, covered, ...source]): PlaceBody[] =>
      bodyId == null
        ? []
        : [{ bodyId, slug: slug!, name: name!, timezone: timezone!, covered: covered === 't', source: sourceFacts(source, now) }],
    );
    return { slug: first[0]!, name: first[1]!, bodies };
  };
