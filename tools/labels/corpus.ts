import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { agreedAnswer, parseLabels } from './labels-file.ts';
import { recordedItems, type RecordedItem, shippedTopics } from './recordings.ts';

/** Kinds of a labelled title. `substantive` is our kind `item`; `boilerplate` is no record. */
export const LABEL_KINDS = ['substantive', 'procedural', 'heading', 'boilerplate'] as const;

/** A labelled item. A null label is one that nobody gave. */
export interface LabelledTitle {
  readonly id: string;
  readonly jurisdiction: string;
  readonly body: string;
  /** Local day of the meeting, `YYYY-MM-DD`. */
  readonly date: string;
  readonly number: string | null;
  readonly matterType: string | null;
  readonly title: string;
  readonly text: string | null;
  readonly kind: (typeof LABEL_KINDS)[number];
  readonly topics: readonly string[];
  /** Topics about which the readers differ. */
  readonly unclear: readonly string[];
  readonly stage: string | null;
  /** US dollars that the item decides. */
  readonly amount: number | null;
  readonly party: string | null;
  readonly place: string | null;
  /** Another careful reader could differ. */
  readonly isDoubtful: boolean;
  /** Drawn at random, so that it counts for rates. */
  readonly isRandom: boolean;
}

const COLUMNS = [
  'id',
  'jurisdiction',
  'body',
  'date',
  'item_no',
  'kind_at_source',
  'title',
  'kind',
  'topics',
  'stage',
  'amount_usd',
  'party',
  'place',
  'doubt',
  'drawn',
] as const;
type Cells = Readonly<Record<(typeof COLUMNS)[number], string>>;

const orNull = (cell: string): string | null => (cell === '' || cell === '-' ? null : cell);

function labelledTitle(cells: Cells, where: string): LabelledTitle {
  return {
    id: cells.id,
    jurisdiction: cells.jurisdiction,
    body: cells.body,
    date: cells.date,
    number: orNull(cells.item_no),
    matterType: orNull(cells.kind_at_source),
    title: cells.title,
    text: null,
    kind: kindOf(cells.kind, where),
    topics: orNull(cells.topics)?.split(',') ?? [],
    unclear: [],
    stage: orNull(cells.stage),
    amount: cells.amount_usd === '' ? null : Number(cells.amount_usd),
    party: orNull(cells.party),
    place: orNull(cells.place),
    isDoubtful: cells.doubt === 'y',
    isRandom: cells.drawn === 'random',
  };
}

/** Reads an unquoted table with the columns of `labels.tsv`. Throws and names the line that is wrong. */
export function parseLabelledTitles(text: string): LabelledTitle[] {
  const [head = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const columns = head.split('\t');
  const missing = COLUMNS.filter((column) => !columns.includes(column));
  if (missing.length > 0) throw new Error(`line 1: lacks the columns ${missing.join(', ')}`);
  return lines.map((line, at) => {
    const cells = line.split('\t');
    const where = `line ${at + 2}`;
    if (cells.length !== columns.length)
      throw new Error(`${where}: has ${cells.length} columns, must have ${columns.length}`);
    return labelledTitle(Object.fromEntries(columns.map((column, index) => [column, cells[index]!])) as Cells, where);
  });
}

const NO_LABEL = {
  stage: null,
  amount: null,
  party: null,
  place: null,
  isDoubtful: false,
  isRandom: false,
} as const;

type Recorded = ReadonlyMap<string, RecordedItem>;

function recordedTitle(recorded: Recorded, id: string) {
  const recordedItem = recorded.get(id);
  if (recordedItem === undefined) throw new Error(`${id} is not in the recordings`);
  const { item, body } = recordedItem.subject;
  return {
    id,
    jurisdiction: recordedItem.city,
    body: body.name,
    date: recordedItem.day,
    number: item.agendaNumber,
    matterType: item.matterType ?? null,
    title: item.title,
    text: item.text ?? item.actionText,
    ...NO_LABEL,
  };
}

/** Returns the items of `agenda-items.tsv`, which two readers labelled, with their recorded texts. */
function readTwiceLabelled(text: string, recorded: Recorded): LabelledTitle[] {
  const slugs = shippedTopics().map(({ slug }) => slug);
  return parseLabels(text, new Set(slugs)).map((label) => ({
    ...recordedTitle(recorded, label.id),
    kind: 'substantive',
    topics: slugs.filter((slug) => agreedAnswer(label, slug) === true),
    unclear: slugs.filter((slug) => agreedAnswer(label, slug) === null),
  }));
}

function kindOf(cell: string, where: string): LabelledTitle['kind'] {
  const kind = LABEL_KINDS.find((one) => one === cell);
  if (kind === undefined) throw new Error(`${where}: kind "${cell}" must be one of ${LABEL_KINDS.join(', ')}`);
  return kind;
}

/** Divides `zoning,?housing` into clear and unclear topics. */
function topicsOf(cell: string): Pick<LabelledTitle, 'topics' | 'unclear'> {
  const slugs = orNull(cell)?.split(',') ?? [];
  return {
    topics: slugs.filter((slug) => !slug.startsWith('?')),
    unclear: slugs.filter((slug) => slug.startsWith('?')).map((slug) => slug.slice(1)),
  };
}

const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));

/** Returns the items of `further-items.tsv`: recorded ones, and items of the corpus that its reader left open. */
function readOnceLabelled(text: string, recorded: Recorded, corpusItems: string): LabelledTitle[] {
  const [head, ...items] = corpusItems.split('\n').map((line) => line.split('\t'));
  const cell = (row: readonly string[], name: string): string => row[head!.indexOf(name)]!;
  const byId = new Map(items.map((row) => [row[0]!, row]));
  return rowsOf(text).map(([id, kind, topics], at) => {
    const own = byId.get(id!);
    const title =
      own === undefined
        ? recordedTitle(recorded, id!)
        : {
            id: id!,
            jurisdiction: cell(own, 'jurisdiction'),
            body: cell(own, 'body'),
            date: cell(own, 'date'),
            number: orNull(cell(own, 'item_no')),
            matterType: orNull(cell(own, 'kind_at_source')),
            title: cell(own, 'title'),
            text: null,
            ...NO_LABEL,
          };
    return { ...title, kind: kindOf(kind!, `line ${at + 2}`), ...topicsOf(topics!) };
  });
}

/** Number of groups into which invented titles are divided, so that a word of one of them alone teaches nothing. */
const INVENTED_GROUPS = 12;

/** Returns the invented titles of `invented-titles.tsv`, for topics with few real examples. */
const readInvented = (text: string): LabelledTitle[] =>
  rowsOf(text).map(([kind, topics, title], at) => ({
    id: `invented/${at}`,
    jurisdiction: `invented ${at % INVENTED_GROUPS}`,
    body: '',
    date: '2026-01-01',
    number: null,
    matterType: null,
    title: title!,
    text: null,
    ...NO_LABEL,
    kind: kindOf(kind!, `line ${at + 2}`),
    ...topicsOf(topics!),
  }));

/** All labelled titles from which topics are learned. */
export interface TrainingTitles {
  /** Titles of the corpus: only they are measured. */
  readonly corpus: readonly LabelledTitle[];
  readonly others: readonly LabelledTitle[];
  /** SHA-256 of all labels. */
  readonly hash: string;
}

const OWN_LABELS = new URL('../../test/fixtures/labels/', import.meta.url);
const OWN_FILES = ['agenda-items.tsv', 'further-items.tsv', 'invented-titles.tsv'] as const;

/** Reads the corpus, and the labels of this repository with the recordings (`legistar-api`, `legistar`). */
export async function readTrainingTitles(corpusFolder: string, recordings: string): Promise<TrainingTitles> {
  const read = (file: string | URL): Promise<string> => readFile(file, 'utf8');
  const [labels, items] = await Promise.all(
    ['labels.tsv', 'items.tsv'].map((file) => read(path.join(corpusFolder, file))),
  );
  const [twice, once, invented] = await Promise.all(OWN_FILES.map((file) => read(new URL(file, OWN_LABELS))));
  const recorded = new Map((await recordedItems(recordings)).map((item) => [item.id, item]));
  const hash = createHash('sha256');
  for (const text of [labels, items, twice, once, invented]) hash.update(text!);
  return {
    corpus: parseLabelledTitles(labels!),
    others: [
      ...readTwiceLabelled(twice!, recorded),
      ...readOnceLabelled(once!, recorded, items!),
      ...readInvented(invented!),
    ],
    hash: hash.digest('hex'),
  };
}
