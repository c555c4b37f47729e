import { kindOfRow, readAgendaRows } from '../agenda/kinds.ts';
import { beginningOf } from '../text/source-text.ts';
import { findItems, type FoundItem } from './agenda-items.ts';
import { headsOf } from './heads.ts';
import { type MeetingFacts, readMeetingFacts } from './meeting-facts.ts';
import { closeLetterSpacing } from './letter-spacing.ts';
import { readColumns } from './page-columns.ts';
import { otherPaperReason } from './paper-kind.ts';
import { separateRunningLines } from './running-lines.ts';
import type { DocumentText } from './text-line.ts';

/** `no_text_layer`: the document shows scanned or drawn letters. Null if it could not be read. */
export type TextEvidence = 'readable' | 'no_text_layer';

export interface AgendaDocumentItem {
  /** The label as the agenda counts it, including the outer numbers: "4.A". */
  readonly number: string | null;
  readonly section: string | null;
  readonly title: string;
  readonly kind: 'item' | 'heading' | 'procedural';
  /** Number of the page, from 1. */
  readonly page: number;
}

export interface AgendaDocument extends MeetingFacts {
  readonly textEvidence: TextEvidence | null;
  readonly items: readonly AgendaDocumentItem[];
  /** Reason why there are no items. */
  readonly reason?: string;
}

/** Letters of a document with a text layer. */
const MIN_LETTERS = 30;
/** Characters of the title of an item. */
const MAX_TITLE = 4_000;
/** Lines at the top of a document in which the day can stand among items. */
const FIRST = 60;
/** Items of one agenda. */
const MAX_ITEMS = 3_000;

const NOTHING: MeetingFacts = { body: null, date: null, time: null, status: 'scheduled' };

export const unread = (reason: string): AgendaDocument => ({ ...NOTHING, textEvidence: null, items: [], reason });

function hasTextLayer({ lines }: DocumentText): boolean {
  let letters = 0;
  for (const { text } of lines) {
    letters += text.match(/\p{L}/gu)?.length ?? 0;
    if (letters >= MIN_LETTERS) return true;
  }
  return false;
}

/** An item as the row of an agenda that a source lists. */
const rowOf = ({ number, title }: FoundItem) => ({
  title,
  agendaNumber: number,
  matterFile: null,
  matterType: null,
  text: null,
  actionText: null,
  outcome: null,
  hasAttachments: false,
  hasVotes: false,
});

function withKinds(found: readonly FoundItem[]): readonly AgendaDocumentItem[] {
  const rows = found.map(rowOf);
  const alone = rows.map((row, index) => (found[index]!.isSection ? 'heading' : kindOfRow(row)));
  const heads = headsOf(
    found,
    readAgendaRows(rows, alone).map(({ kind }) => kind),
  );
  const read = readAgendaRows(
    rows,
    alone.map((kind, index) => (heads.has(found[index]!) ? 'heading' : kind)),
  );
  let heading: string | null = null;
  return found.flatMap((item, index): AgendaDocumentItem[] => {
    const { kind, section } = read[index]!;
    if (kind === 'layout') return [];
    if (kind === 'notice' && item.number === null) return [];
    if (kind === 'heading' && item.parent === null) heading = item.number === null ? item.title : null;
    const own = item.parent?.title ?? (section === null ? null : heading);
    return [
      {
        number: item.number,
        section: own === null ? null : beginningOf(own, MAX_TITLE),
        title: beginningOf(item.title, MAX_TITLE),
        kind: kind === 'notice' ? 'procedural' : kind,
        page: item.page,
      },
    ];
  });
}

interface Division {
  readonly text: DocumentText;
  readonly facts: MeetingFacts;
  readonly items: readonly AgendaDocumentItem[];
  /** Reason why the paper is not an agenda; null if it is one. */
  readonly other: string | null;
  readonly isDoubtful: boolean;
}

/** Returns why no items are read; null if the items are those of the agenda. */
function reasonAgainst({ text, facts, items, other, isDoubtful }: Division): string | null {
  const isCanceled = facts.status === 'cancelled';
  if (other !== null && !isCanceled) return other;
  const damaged = text.damagedPages ?? 0;
  if (damaged > 0) return `has damaged pages: ${damaged} of ${text.pageCount}`;
  if (items.length > MAX_ITEMS) return `has more than ${MAX_ITEMS} numbered lines`;
  if (items.length === 0)
    return isCanceled ? 'is a notice that the meeting is canceled' : 'has no numbered or titled items';
  return isDoubtful ? 'has matters without numbers that cannot be told from other text' : null;
}

/** Divides the text of an agenda into items, and reads body, date, time and status. The time grows with the text. */
export function readAgenda(printed: DocumentText): AgendaDocument {
  const text = closeLetterSpacing(printed);
  if (!hasTextLayer(text))
    return { ...NOTHING, textEvidence: 'no_text_layer', items: [], reason: 'has no text that can be read' };
  const separated = separateRunningLines(text);
  const body = { ...separated, lines: readColumns(separated.lines) };
  const { items: found, head, isDoubtful } = findItems(body);
  const items = withKinds(found);
  const { running } = body;
  const facts = readMeetingFacts({ head, running, first: text.lines.slice(0, FIRST), hasItems: items.length > 0 });
  const other = otherPaperReason(head, running, found);
  const reason = reasonAgainst({ text, facts, items, other, isDoubtful });
  return { ...facts, textEvidence: 'readable', ...(reason === null ? { items } : { items: [], reason }) };
}
