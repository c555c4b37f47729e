import { generationTable } from '../../domain/ports/projection.ts';

/**
 * The agenda as the public reads it. Times are milliseconds since the epoch; `lead` and `own` are pieces of the exact JSON text of a
 * public hit, so that an answer is joined text.
 */
export const AGENDA = 'agenda';

/** The current records, as far as anything here depends on them. */
export interface AgendaTables {
  readonly jurisdictions: string;
  readonly bodies: string;
  readonly sources: string;
  readonly topics: string;
  readonly meetings: string;
  readonly items: string;
  /** Hits with what their item and meeting say, once these are there. */
  readonly hits: string;
  /** The public bodies that are covered now; a handful. */
  readonly coveredBodies: string;
  /** The topics that are covered now. */
  readonly coveredTopics: string;
}

export const agendaTables = (generation: number): AgendaTables => ({
  jurisdictions: generationTable(AGENDA, generation, 'jurisdictions'),
  bodies: generationTable(AGENDA, generation, 'bodies'),
  sources: generationTable(AGENDA, generation, 'sources'),
  topics: generationTable(AGENDA, generation, 'topics'),
  meetings: generationTable(AGENDA, generation, 'meetings'),
  items: generationTable(AGENDA, generation, 'items'),
  hits: generationTable(AGENDA, generation, 'hits'),
  coveredBodies: generationTable(AGENDA, generation, 'covered_bodies'),
  coveredTopics: generationTable(AGENDA, generation, 'covered_topics'),
});
