import { readFile } from 'node:fs/promises';
import { withFacts } from '../../domain/agenda/item-facts.ts';
import { agendaId } from './agenda-events.ts';
import type { TestSearch } from './agenda-search.ts';

/** A good answer is among so many. */
const FOUND_IN = 3;
const TODAY = '2020-06-04';
const TIME = 'T18:00:00.000Z';

/** The answer is one of the items, or one whose title matches the pattern. `today` is a date before the meetings. */
interface CorpusQuestion {
  readonly question: string;
  readonly ids?: readonly string[];
  readonly title?: string;
  readonly today?: string;
}

export const readCorpusQuestions = async (
  name: 'search-corpus' | 'search-corpus-unseen',
): Promise<readonly CorpusQuestion[]> =>
  JSON.parse(await readFile(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as CorpusQuestion[];

/** Folds the items of `items.tsv`, each with its jurisdiction, body and meeting. */
export async function foldCorpus(search: TestSearch, directory: string): Promise<void> {
  const { events } = search;
  const [, ...lines] = (await readFile(`${directory}/items.tsv`, 'utf8')).trimEnd().split('\n');
  const known = new Set<string>();
  const isNew = (name: string): boolean => !known.has(name) && known.add(name) !== undefined;
  const batch = lines.flatMap((line) => {
    const [id, jurisdiction, , body, date, agendaNumber, matterType, title] = line.split('\t') as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const place = id.split('/')[0]!;
    const [bodyKey, meetingKey] = [`${place} ${body}`, `${place} ${body} ${date}`];
    const jurisdictionId = agendaId('jurisdictions', place);
    return [
      ...(isNew(place) ? [events.jurisdiction(place, { name: jurisdiction })] : []),
      ...(isNew(bodyKey) ? [events.body(bodyKey, { jurisdictionId, slug: `b${known.size}`, name: body })] : []),
      ...(isNew(meetingKey) ? [events.meeting(meetingKey, bodyKey, `${date}${TIME}`)] : []),
      events.item(
        id,
        meetingKey,
        withFacts({
          title,
          text: null,
          ...(agendaNumber === '' ? {} : { agendaNumber }),
          ...(matterType === '' ? {} : { matterType }),
        }),
      ),
    ];
  });
  await search.fold(batch);
}

/** Returns the questions that have no good answer among the first three, with the titles that were found instead. */
export async function missedQuestions(search: TestSearch, questions: readonly CorpusQuestion[]) {
  const missed: { readonly question: string; readonly found: readonly string[]; readonly guidance: string }[] = [];
  for (const { question, ids = [], title, today = TODAY } of questions) {
    search.clock.time = Date.parse(`${today}${TIME}`);
    const { results, guidance } = await search.search({ query: question, limit: FOUND_IN });
    const itemIds = new Set(ids.map((id) => agendaId('agenda_items', id)));
    const pattern = title === undefined ? null : new RegExp(title, 'i');
    // An answer by pattern is good if every one of the first is.
    const isGood = (row: (typeof results)[number]) => itemIds.has(row.itemId) || (pattern?.test(row.title) ?? false);
    const isFound = pattern === null ? results.some(isGood) : results.length > 0 && results.every(isGood);
    if (!isFound) missed.push({ question, found: results.map((row) => row.title.slice(0, 90)), guidance });
  }
  return missed;
}
