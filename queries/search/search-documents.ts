import type { SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { dateOfDay } from '../../domain/local-day.ts';
import { limitsOf, readQuestion } from './question/read-question.ts';
import { liveStatement } from '../live-tables.ts';

/** A meeting whose document contains the words of a search. */
export interface FoundDocument {
  readonly meetingId: string;
  /** Words of the text around those of the search. */
  readonly excerpt: string;
}

const MAX_DOCUMENTS = 5;
/** Characters from which an excerpt is taken; also the limit of the migration that fills the index. */
const SEARCHED = 200_000;
const EXCERPT = 'MaxFragments=1, MaxWords=40, MinWords=20, StartSel="", StopSel=""';
const QUERY = `websearch_to_tsquery('pg_catalog.english', $1)`;
const DAY = `(to_timestamp(m.starts_at / 1000.0) at time zone m.timezone)::date`;

/**
 * Returns the newest meetings with a document that contains the words of a search. Topics and amounts do not apply to
 * documents. `today` returns a local day, in days from 1970-01-01.
 */
export function createSearchDocuments(reads: (signal: AbortSignal) => LiveReads, today: () => number) {
  return (
    { query, jurisdictionSlug, fromDate, toDate }: SearchAgendaInput,
    signal: AbortSignal,
  ): Promise<readonly FoundDocument[]> => {
    const question = readQuestion(query, today());
    const { fromDay, toDay } = limitsOf({ fromDate: fromDate ?? null, toDate: toDate ?? null }, question);
    const [from, to] = [fromDay, toDay].map((day) => (day === null ? null : dateOfDay(day)));
    return reads(signal).rows<FoundDocument>(
      liveStatement(AGENDA, {
        values: [question.text, jurisdictionSlug ?? null, from!, to!],
        // A query without a required word would read every text.
        text: ({ meetings, bodies, jurisdictions, isLive }) => `select found.meeting_id as "meetingId",
            ts_headline('pg_catalog.english', left(found.text, ${SEARCHED}), ${QUERY}, '${EXCERPT}') as excerpt
          from (
            select m.meeting_id, t.text, m.starts_at from civic.document_texts t
            cross join unnest(coalesce(t.meeting_ids, array[t.meeting_id])) as shown (meeting_id)
            join ${meetings} m on m.meeting_id = shown.meeting_id
            join ${bodies} b on b.body_id = m.body_id
            join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
            where t.words @@ ${QUERY} and querytree(${QUERY}) not in ('', 'T')
              and ($2::text is null or j.slug = $2)
              and ($3::date is null or ${DAY} >= $3) and ($4::date is null or ${DAY} <= $4)
            order by m.starts_at desc, m.meeting_id limit ${MAX_DOCUMENTS}
          ) found where ${isLive} order by found.starts_at desc, found.meeting_id`,
      }),
    );
  };
}
