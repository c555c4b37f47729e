import { z } from 'zod';
import { MAX_APPEARANCES } from '../../domain/agenda/matter-file.ts';
import { FACT_LISTS, shownFacts } from '../../domain/records/fact-schemas.ts';
import { uuid } from '../../domain/records/fields.ts';
import { agendaHit, agendaItem, document } from '../../domain/records/schemas.ts';
import { bodyName, bodySlug, count, jurisdictionName, jurisdictionSlug, orAbsent, topicSlug } from '../fields.ts';
import { freshness, meetingStatus, meetingTime, publisher } from './search-agenda.ts';
import { tool, truncated } from './tool.ts';
import { PAID_TOOL_CODES } from './tool-errors.ts';
import { rowsOf, type TruncationRules } from './truncation.ts';

const { agendaNumber, matterFile, matterType, kind, section, matterStatus, actionText, outcome, actions, votes, text } =
  agendaItem.shape;

const appearance = z.strictObject({
  itemId: agendaHit.shape.agendaItemId,
  title: agendaItem.shape.title,
  body: bodyName,
  ...meetingTime,
  meetingStatus,
  actionText: orAbsent(actionText),
  outcome: orAbsent(outcome),
  sourceUrl: agendaItem.shape.sourceUrl,
});

const item = z.strictObject({
  itemId: agendaHit.shape.agendaItemId,
  title: agendaItem.shape.title,
  text: orAbsent(text),
  jurisdiction: jurisdictionName,
  jurisdictionSlug,
  body: bodyName,
  bodySlug,
  ...meetingTime,
  meetingStatus,
  agendaNumber: orAbsent(agendaNumber),
  matterFile: orAbsent(matterFile),
  matterType: orAbsent(matterType),
  kind,
  section,
  matterStatus,
  actionText: orAbsent(actionText),
  outcome: orAbsent(outcome),
  actions,
  votes,
  ...shownFacts,
  sourceUrl: agendaItem.shape.sourceUrl,
  topics: z
    .array(
      z.strictObject({
        topicSlug,
        confidence: agendaHit.shape.confidence,
        summary: agendaHit.shape.summary,
        evidenceQuote: agendaHit.shape.evidenceQuote,
      }),
    )
    .describe('Topics that the item was classified with.'),
  documents: z
    .array(z.strictObject({ title: document.shape.title, kind: document.shape.kind, url: document.shape.url }))
    .describe('Files that belong to it.'),
  appearances: z
    .array(appearance)
    .max(MAX_APPEARANCES)
    .describe(
      `Other agenda items of the jurisdiction with the same file number, oldest first; of more than ${MAX_APPEARANCES} those nearest in time.`,
    ),
  appearanceCount: count.describe('Number of all of these items.'),
  publisher,
  freshness,
});

const data = z.strictObject({ item: item.describe('The agenda item.'), truncated });
type Data = z.output<typeof data>;

const withItem = ({ item }: Data, part: Partial<Data['item']>): Data => ({
  item: { ...item, ...part },
  truncated: true,
});

/** Facts are dropped from the last list on: amounts and parties are shown longest. */
const factRows = FACT_LISTS.toReversed().map((list) =>
  rowsOf<Data, unknown>({
    least: 0,
    of: ({ item }) => item[list] ?? [],
    keep: (data, facts) => withItem(data, { [list]: facts }),
  }),
);

const truncation = (): TruncationRules<Data> => ({
  texts: [
    'title',
    'text',
    'jurisdiction',
    'body',
    'agendaNumber',
    'matterFile',
    'matterType',
    'section',
    'matterStatus',
    'actionText',
    'summary',
    'evidenceQuote',
    'mover',
    'seconder',
    'tally',
    'name',
    'vote',
    'sourceText',
    'unit',
    'district',
    'value',
  ],
  marksShortened: true,
  rows: [
    rowsOf({ least: 0, of: ({ item }) => item.documents, keep: (data, documents) => withItem(data, { documents }) }),
    rowsOf({
      least: 0,
      of: ({ item }) => item.appearances,
      keep: (data, appearances) => withItem(data, { appearances }),
    }),
    ...factRows,
    rowsOf({ least: 0, of: ({ item }) => item.topics, keep: (data, topics) => withItem(data, { topics }) }),
    rowsOf({ least: 1, of: ({ item }) => item.actions ?? [], keep: (data, actions) => withItem(data, { actions }) }),
    rowsOf({
      least: 0,
      of: ({ item }) => item.votes?.members ?? [],
      keep: (data, members) =>
        data.item.votes === undefined ? data : withItem(data, { votes: { ...data.item.votes, members } }),
    }),
  ],
});

export const getAgendaItem = tool({
  name: 'get_agenda_item',
  title: 'Read one agenda item',
  description: `Reads one agenda item in full: its text, the status, action, outcome and vote that the source states, the
amounts, parties, places, districts and case numbers in its words, topics (each with the sentence that
it was found by), documents, other agenda items of the same file number, and when its source was last checked. Take itemId from search_agenda. Long text is shortened and truncated says so; the record at sourceUrl is authoritative, so follow it before
relying on the item. A past meeting that nothing shows to have been held still has the status scheduled. Accounts that pay by the call pay for a call that
finds the item.`,
  effect: 'reads',
  access: 'paid',
  input: z.strictObject({ itemId: uuid.describe('The itemId of a result of search_agenda.') }),
  data,
  errors: PAID_TOOL_CODES,
  truncation,
});

export type AgendaItem = Data['item'];
