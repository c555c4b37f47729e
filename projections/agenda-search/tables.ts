import { generationTable } from '../../domain/ports/projection.ts';

/** Every agenda item whose meeting, body and jurisdiction are there, with what search and the item's own page say of it. */
export const AGENDA_SEARCH = 'agenda_search';

/** The current records, as far as anything here depends on them, and what is searched. */
export interface AgendaSearchTables {
  readonly jurisdictions: string;
  readonly bodies: string;
  readonly sources: string;
  readonly topics: string;
  readonly meetings: string;
  readonly items: string;
  readonly hits: string;
  readonly documents: string;
  /** What is searched: a row for each item that can be shown and is no mere heading. */
  readonly entries: string;
  /** How many entries there are of each period. */
  readonly periods: string;
  /** The words of all these records, with their stems and the number of records that have them. */
  readonly words: string;
}

export function agendaSearchTables(generation: number): AgendaSearchTables {
  const table = (part: string) => generationTable(AGENDA_SEARCH, generation, part);
  return {
    jurisdictions: table('jurisdictions'),
    bodies: table('bodies'),
    sources: table('sources'),
    topics: table('topics'),
    meetings: table('meetings'),
    items: table('items'),
    hits: table('hits'),
    documents: table('documents'),
    entries: table('entries'),
    periods: table('periods'),
    words: table('words'),
  };
}

/**
 * An entry's words stand in one index with its body, its topics and its period, so that a filter and a stretch of time narrow a search inside
 * it. These begin with a space, which no word does.
 */
export const MARK = { body: ' b', topic: ' t', period: ' p' } as const;

/** Number of the quarter of a year in which an instant (milliseconds) lies. */
export function periodOf(instant: number): number {
  const date = new Date(instant);
  return date.getUTCFullYear() * 4 + Math.floor(date.getUTCMonth() / 3);
}

/** Weights, from what counts least: text, names of place and body, topics, title. */
export const WEIGHT = { text: 'D', place: 'C', topics: 'B', title: 'A' } as const;
