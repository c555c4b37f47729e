import { sql } from 'slonik';
import { z } from 'zod';
import type { SourceStatusesInput } from '../../contract/inputs.ts';
import type { PublicSourceStatus } from '../../contract/list-public-source-statuses.ts';
import type { getCoverage } from '../../contract/tools/get-coverage.ts';
import type { LiveGeneration, LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { source } from '../../domain/records/schemas.ts';
import { sourceStatusAt } from '../../domain/health.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { AGENDA, COVERAGE } from '../../projections/agenda/tables.ts';
import { unlessNull } from '../fields.ts';
import { slugFilter } from '../agenda/agenda-fields.ts';
import { liveTokens } from '../live-tables.ts';

const sourceRow = z.object({
  jurisdiction_slug: z.string(),
  jurisdiction_name: z.string(),
  body_name: z.string(),
  type_label: z.string(),
  status: source.shape.status,
  text_evidence: source.shape.agendaTextEvidence,
  succeeded_at: z.coerce.number().nullable(),
  official_url: z.string().nullable(),
  skipped: z.number().nullable(),
  degraded: z.number().nullable(),
});

function coveredSources(live: LiveGeneration, { jurisdictionSlug, bodySlug }: SourceStatusesInput, alsoRead: boolean) {
  const { coveredBodies, bodies, sources, isLive } = liveTokens(AGENDA, live);
  const [ofJurisdiction, ofBody] = [slugFilter(jurisdictionSlug), slugFilter(bodySlug)];
  // The same condition as `hasSlug`.
  const isOfSlug = sql.fragment`exists (
    select from ${bodies} n where n.body_id = b.body_id
      and (n.slug = ${ofBody} or ${ofBody} = any(string_to_array(to_jsonb(n) ->> 'slugs', ' ')) and not exists (
        select from ${bodies} o where o.jurisdiction_id = n.jurisdiction_id and o.slug = ${ofBody}
      ))
  )`;
  // The catalogue has a source without an address for a body whose platform is not known. A source that was read replaces it.
  const isKnown = sql.fragment`(
    s.succeeded_at is not null or s.official_url is not null or s.status <> 'unknown' or not exists (
      select from ${sources} o where o.body_id = s.body_id and o.active and o.succeeded_at is not null
    )
  )`;
  return sql.type(sourceRow)`
    select b.jurisdiction_slug, b.jurisdiction_name, b.body_name,
      s.type_label, s.status, s.text_evidence, s.succeeded_at, s.official_url,
      (to_jsonb(s) ->> 'skipped')::int as skipped, (to_jsonb(s) ->> 'degraded')::int as degraded
    from ${coveredBodies} b join ${sources} s on s.body_id = b.body_id
    where s.active and ${isLive} and (${alsoRead} or (to_jsonb(b) ->> 'coverage') is distinct from ${COVERAGE.read})
      and ${isKnown}
      and (${ofJurisdiction}::text is null or b.jurisdiction_slug = ${ofJurisdiction})
      and (${ofBody}::text is null or ${isOfSlug})
    order by b.jurisdiction_slug, b.body_slug, s.type_label, s.source_id`;
}

/**
 * Returns the sources of covered bodies. `alsoRead` includes those that an operator added for feed, search and tools
 * only.
 */
export const createListCoveredSources =
  ({ reads, clock }: QueryContext) =>
  async (input: SourceStatusesInput, { alsoRead }: { readonly alsoRead: boolean }) => {
    const rows = await reads.many((live) => coveredSources(live, input, alsoRead));
    const now = clock.now();
    return rows.map((row) => ({
      jurisdictionSlug: row.jurisdiction_slug,
      status: {
        jurisdictionName: row.jurisdiction_name,
        publicBodyName: row.body_name,
        sourceTypeLabel: row.type_label,
        status: sourceStatusAt(row.status, row.succeeded_at, now),
        agendaTextEvidence: row.text_evidence,
        lastSuccessfulCheckAt: row.succeeded_at === null ? null : new Date(row.succeeded_at).toISOString(),
        ...(row.official_url === null ? {} : { officialSourceUrl: row.official_url }),
        ...unlessNull('lastCheckSkipped', row.skipped),
        ...unlessNull('lastCheckDegraded', row.degraded),
      },
    }));
  };

export type CoveredSource = Awaited<ReturnType<ReturnType<typeof createListCoveredSources>>>[number];

export function createListPublicSourceStatuses(dependencies: QueryContext) {
  const list = createListCoveredSources(dependencies);
  return async (input: SourceStatusesInput): Promise<readonly PublicSourceStatus[]> =>
    (await list(input, { alsoRead: false })).map(({ status }) => status);
}

export type Topic = z.output<typeof getCoverage.data>['topics'][number];

const listedTopic = z.object({ topicSlug: z.string(), publicLabel: z.string() });

/** Returns topics ordered by slug. If several topics share a slug, the oldest counts. */
export const createListTopics =
  ({ reads }: { readonly reads: LiveReads }) =>
  async (): Promise<readonly Topic[]> => {
    return await reads.many((live) => {
      const { topics, isLive } = liveTokens(AGENDA_SEARCH, live);
      // Version 1 of the read model lacks both columns, so its topics are not listed while version 2 is built.
      return sql.type(listedTopic)`select slug as "topicSlug", label as "publicLabel" from (
          select distinct on (t.slug)
            t.slug, to_jsonb(t) ->> 'label' as label, to_jsonb(t) ->> 'selectable' as selectable
          from ${topics} t order by t.slug, t.created_at, t.topic_id
        ) t where selectable = 'true' and ${isLive} order by slug`;
    });
  };
