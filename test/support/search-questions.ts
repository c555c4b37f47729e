import { readFile } from 'node:fs/promises';
import type { AgendaReader } from '../../domain/ports/source-ports.ts';
import { createAgendaProjection } from '../../projections/agenda/projection.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import type { SearchAgendaData } from '../../contract/tools/search-agenda.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { writeReferenceRecords } from '../../src/sources/first-run.ts';
import { syncAgendas } from '../../src/sources/agendas/sync.ts';
import type { TestCivic } from './civic.ts';

/** The clients of the Legistar Web API whose recordings the questions were written for. */
export const RECORDED_CLIENTS = ['cityofdallas', 'fortworthgov'];
/** A good answer is among so many. */
export const FOUND_IN = 3;

/**
 * Conditions of a good answer: one of these matter files, these words in its title (a pattern), or its day of the year
 * (MM-DD).
 */
interface Question {
  readonly question: string;
  readonly matterFiles?: readonly string[];
  readonly title?: string;
  readonly meetingDay?: string;
  /** The first rows, as many as a good answer is among, are all of this jurisdiction. */
  readonly place?: string;
  /** The good answer has no row, and its guidance names this word, which no recording has. */
  readonly nothing?: string;
}

/** Written before the ranking that answers them, by reading the recordings. `search-questions` are sentences, `search-phrases` what people type, `search-inquiries` both. */
export const readQuestions = async (
  name: 'search-questions' | 'search-phrases' | 'search-inquiries',
): Promise<readonly Question[]> =>
  JSON.parse(await readFile(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as Question[];

/** Fills an empty service with the recordings and folds them. */
export async function loadRecordings(civic: TestCivic, readerOf: (client: string) => AgendaReader): Promise<void> {
  const projections = [recordHistory, recordReferences, createAgendaProjection([]), agendaSearch];
  civic.startProjector(projections, { batchSize: 2000 });
  const { clock, writer } = civic;
  const names = projections.map(({ name }) => name);
  await civic.caughtUp(undefined, names);
  await writeReferenceRecords(civic);
  const records = publishedRecords(civic.reads, civic.log);
  for (const client of RECORDED_CLIENTS) {
    await civic.caughtUp(undefined, names);
    const { failure } = await syncAgendas(readerOf(client), { client, options: {} }, { writer, known: records, clock });
    if (failure !== null) throw new Error(failure);
  }
  await civic.caughtUp(undefined, names);
}

/** Returns the rank of the first good answer to each question, from 1; 0 if it is not among the first 20. */
export async function askQuestions({ reads, clock }: TestCivic, questions: readonly Question[]) {
  const search = createSearchAgenda({ reads: () => reads, clock, timezone: 'America/Chicago' });
  const { signal } = new AbortController();
  const answers = questions.map(async (question) => {
    const { data } = await search({ query: question.question, limit: 20 }, signal);
    return { question: question.question, place: placeOfAnswer(question, data), data };
  });
  return Promise.all(answers);
}

function placeOfAnswer(
  { matterFiles, title, meetingDay, place, nothing }: Question,
  { results, guidance }: SearchAgendaData,
): number {
  if (nothing !== undefined) return results.length === 0 && guidance.toLowerCase().includes(`"${nothing}"`) ? 1 : 0;
  if (place !== undefined && results.slice(0, FOUND_IN).some(({ jurisdiction }) => !jurisdiction.includes(place)))
    return 0;
  const pattern = title === undefined ? null : new RegExp(title, 'i');
  const isGood = (row: SearchAgendaData['results'][number]) =>
    row.matterFile !== undefined &&
    (matterFiles?.includes(row.matterFile) ||
      pattern?.test(row.title) ||
      (meetingDay !== undefined && row.meetingDate.endsWith(meetingDay)));
  return results.findIndex((row) => isGood(row)) + 1;
}
