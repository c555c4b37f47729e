import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { kindOfRow, type ReadRow, readAgendaRows } from '../../../domain/agenda/kinds.ts';
import { upsert } from '../source.ts';
import { type ItemRows, itemRowsInSteps } from './item-rows.ts';
import { outcomeOf, withFailedVote } from './outcomes.ts';
import { agendaItemId, attachmentId } from './own-records.ts';
import { isMatterHidden } from './publication.ts';
import { mapInSteps, type Steps } from '../../../domain/text/steps.ts';
import { attachmentRow, type EventItemRow, parseRowsInSteps, type Skipped } from './rows.ts';
import { mediaTypeOf, oneLine, paragraphs, publicUrl } from './values.ts';
import type { Votes } from './votes.ts';

interface ItemPlace {
  readonly client: string;
  readonly meetingId: string;
  readonly agendaId: string;
  readonly sourceUrl: string;
  /** Votes by the id of the item's head row. */
  readonly votes: ReadonlyMap<number, Votes>;
}

/** Number of attachments of one item that are read. */
const MAX_ATTACHMENTS = 1_000;

function* mapAttachmentsInSteps(row: EventItemRow, agendaItem: string, meetingId: string) {
  const source = row.EventItemMatterAttachments ?? [];
  const { rows, skipped: undecodable } = yield* parseRowsInSteps(
    attachmentRow,
    'MatterAttachmentId',
    'document',
    source.slice(0, MAX_ATTACHMENTS),
  );
  const skipped = [...undecodable];
  const excess = source.length - MAX_ATTACHMENTS;
  if (excess > 0) {
    const reason = `has ${source.length} attachments; ${excess} of them are not read`;
    skipped.push({ what: 'document', id: `of item ${row.EventItemId}`, reason });
  }
  /** Keyed by id: an address that occurs twice is one document. */
  const documents = new Map<string, RecordChange>();
  for (const attachment of rows) {
    yield;
    const url = publicUrl(attachment.MatterAttachmentHyperlink);
    const fileName = oneLine(attachment.MatterAttachmentFileName);
    const title = oneLine(attachment.MatterAttachmentName) ?? fileName;
    const skip = (reason: string, isIntended?: true) =>
      skipped.push({
        what: 'document',
        id: String(attachment.MatterAttachmentId),
        reason,
        ...(isIntended && { isIntended }),
      });
    if (attachment.MatterAttachmentShowOnInternetPage === false)
      skip('the source does not show it to the public', true);
    else if (url === null) skip('has no usable public address');
    else if (title === null) skip('has no name');
    else {
      const kind = attachment.MatterAttachmentIsSupportingDocument === false ? 'other' : 'exhibit';
      const content = {
        meetingId,
        agendaItemId: agendaItem,
        kind,
        title,
        url,
        mediaType: mediaTypeOf(fileName),
      } as const;
      const id = attachmentId(agendaItem, url);
      documents.set(id, upsert('documents', id, content));
    }
  }
  return { documents: [...documents.values()], skipped, isUncertain: undecodable.length > 0 || excess > 0 };
}

const actionTextOf = (row: EventItemRow): string | null =>
  withFailedVote(paragraphs(row.EventItemActionText) ?? oneLine(row.EventItemActionName), row);

/** The last action, and all of them where the source has several rows of the item. A row without an action does not count. */
function actionsOf({ head, rows }: ItemRows) {
  const rowActions = rows.map((row) => ({ text: actionTextOf(row), outcome: outcomeOf(row) }));
  if (rows.length === 1) return { actionText: rowActions[0]!.text, outcome: rowActions[0]!.outcome };
  const actions = rowActions.filter(({ text }) => text !== null);
  const last = actions.at(-1);
  if (last === undefined) return { actionText: null, outcome: outcomeOf(head) };
  return { actionText: last.text, outcome: last.outcome, actions };
}

interface MappedItem {
  readonly id: string;
  readonly content: RecordContent<'agenda_items'>;
  readonly group: string | null;
  /** Null if it is decided here. */
  readonly statedKind: ReadRow['kind'] | null;
  readonly rows: readonly EventItemRow[];
  readonly documents: readonly RecordChange[];
}

/** Reasons for rows that are not published. */
const LEFT_OUT = {
  layout: 'is a layout mark, such as a page break',
  notice: 'is a note about the meeting or its agenda, not an item',
} as const;

/** An item is on the agenda only with a title, or the file and name of a matter, and a sequence. Returns why it is not. */
function itemContent(
  { head, rows }: ItemRows,
  { meetingId, agendaId, sourceUrl, votes }: ItemPlace,
): RecordContent<'agenda_items'> | string {
  if (rows.some(isMatterHidden)) return 'the source does not show its matter to the public';
  const matterFile = oneLine(head.EventItemMatterFile);
  const matterName = oneLine(head.EventItemMatterName);
  // A matter that the agenda lists without a title of the row is known by its name.
  const title = oneLine(head.EventItemTitle) ?? (matterFile === null ? null : matterName);
  const sequence = head.EventItemAgendaSequence ?? null;
  if (title === null || sequence === null) {
    const missing =
      title === null ? (sequence === null ? 'neither a title nor a sequence' : 'no title') : 'no sequence';
    return `has ${missing}: it is not on the agenda`;
  }
  return {
    meetingId,
    agendaId,
    sourceRecordId: String(head.EventItemId),
    sequence,
    agendaNumber: oneLine(head.EventItemAgendaNumber),
    title,
    text: paragraphs(head.EventItemAgendaNote),
    matterFile,
    matterType: oneLine(head.EventItemMatterType),
    matterName: matterName ?? undefined,
    matterStatus: oneLine(head.EventItemMatterStatus) ?? undefined,
    ...actionsOf({ head, rows }),
    votes: votes.get(head.EventItemId),
    sourceUrl: publicUrl(head.EventItemInSiteURL) ?? sourceUrl,
  };
}

/** The rows of the agenda in its order, each with its kind and section, by the id of its record. */
function* readKinds(items: readonly MappedItem[]): Steps<ReadonlyMap<string, ReadRow>> {
  if (items.every(({ statedKind }) => statedKind !== null))
    return new Map(items.map(({ id, statedKind, group }) => [id, { kind: statedKind!, section: group }]));
  const inOrder = items.toSorted((left, right) => left.content.sequence - right.content.sequence);
  const rows = inOrder.map(({ content, documents, group }) => ({
    ...content,
    hasAttachments: documents.length > 0,
    hasVotes: content.votes !== undefined,
    group,
  }));
  const agendaRows = readAgendaRows(rows, yield* mapInSteps(rows, kindOfRow, 1));
  return new Map(inOrder.map(({ id }, index) => [id, agendaRows[index]!]));
}

/** Rows that were left out because the source does not publish them as items. */
class SkippedRows {
  readonly all: Skipped[] = [];

  add(rows: readonly EventItemRow[], reason: string): void {
    for (const row of rows) this.all.push({ what: 'item', id: String(row.EventItemId), reason, isIntended: true });
  }
}

/** Maps the rows of an agenda. `isWithoutItems`: it has rows and none is an item. `documentsUncertain`: a missing document might be an unreadable attachment. */
export function* mapItemsInSteps(source: readonly EventItemRow[], place: ItemPlace) {
  const skipped = new SkippedRows();
  const { mapped, documentsUncertain } = yield* mapContents(source, place, skipped);
  const kinds = yield* readKinds(mapped);
  const items: RecordChange[] = [];
  /** Documents by id: a document that several rows of one item have is one document. */
  const documents = new Map<string, RecordChange>();
  let itemCount = 0;
  for (const item of mapped) {
    yield;
    const { kind, section } = kinds.get(item.id)!;
    if (kind === 'layout' || kind === 'notice') {
      skipped.add(item.rows, LEFT_OUT[kind]);
      continue;
    }
    items.push(upsert('agenda_items', item.id, { ...item.content, kind, section: section ?? undefined }));
    for (const document of item.documents) documents.set(document.id, document);
    if (kind === 'item') itemCount += 1;
  }
  const isWithoutItems = mapped.length > 0 && itemCount === 0;
  return {
    items,
    itemCount,
    isWithoutItems,
    documents: [...documents.values()],
    documentsUncertain,
    skipped: skipped.all,
  };
}

/** Maps each item with its attachments, before its kind is known. */
function* mapContents(source: readonly EventItemRow[], place: ItemPlace, skipped: SkippedRows) {
  let documentsUncertain = false;
  const mapped: MappedItem[] = [];
  for (const { head, rows } of yield* itemRowsInSteps(source)) {
    yield;
    const content = itemContent({ head, rows }, place);
    if (typeof content === 'string') {
      skipped.add(rows, content);
      continue;
    }
    const id = agendaItemId(place.client, head.EventItemId);
    const documents: RecordChange[] = [];
    for (const row of rows) {
      const attachments = yield* mapAttachmentsInSteps(row, id, place.meetingId);
      for (const document of attachments.documents) documents.push(document);
      for (const skippedAttachment of attachments.skipped) skipped.all.push(skippedAttachment);
      documentsUncertain ||= attachments.isUncertain;
    }
    const statedKind = head.EventItemKind ?? null;
    mapped.push({ id, content, rows, group: oneLine(head.EventItemGroup), statedKind, documents });
  }
  return { mapped, documentsUncertain };
}
