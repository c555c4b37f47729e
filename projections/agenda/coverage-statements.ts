import type { CoveredBodySlugs } from '../../domain/covered-body.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { agendaTables } from './tables.ts';

/** Empties the covered bodies and returns their ids. */
export const deleteCoveredBodies = (generation: number): Statement => ({
  text: `delete from ${agendaTables(generation).coveredBodies} returning body_id`,
  values: [],
});

/** The active bodies of the list in active jurisdictions, the oldest of each slug; returns their ids. */
export function insertCoveredBodies(generation: number, covered: readonly CoveredBodySlugs[]): Statement {
  const { jurisdictions, bodies, coveredBodies } = agendaTables(generation);
  return {
    text: `insert into ${coveredBodies} (body_id, jurisdiction_slug, body_slug, jurisdiction_name, body_name, timezone, lead)
      select b.body_id, j.slug, b.slug, j.name, b.name, b.timezone,
        '"jurisdictionSlug":' || to_json(j.slug) || ',"jurisdictionName":' || to_json(j.name) || ',"bodyName":' || to_json(b.name)
      from unnest($1::text[], $2::text[]) as c (jurisdiction_slug, body_slug)
      join lateral (
        select * from ${jurisdictions} where slug = c.jurisdiction_slug order by created_at, jurisdiction_id limit 1
      ) j on j.active
      join lateral (
        select * from ${bodies} where jurisdiction_id = j.jurisdiction_id and slug = c.body_slug order by created_at, body_id limit 1
      ) b on b.active
      returning body_id`,
    values: [covered.map(({ jurisdictionSlug }) => jurisdictionSlug), covered.map(({ slug }) => slug)],
  };
}

export const deleteCoveredTopics = (generation: number): Statement => ({
  text: `delete from ${agendaTables(generation).coveredTopics}`,
  values: [],
});

/** The topics that may be selected and are classified, the oldest of each slug. */
export function insertCoveredTopics(generation: number): Statement {
  const { topics, coveredTopics } = agendaTables(generation);
  return {
    text: `insert into ${coveredTopics} (topic_id, slug, lead)
      select topic_id, slug, '"topicSlug":' || to_json(slug)
      from (select distinct on (slug) topic_id, slug, open from ${topics} order by slug, created_at, topic_id) t where open`,
    values: [],
  };
}
