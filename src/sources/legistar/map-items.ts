import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { plainText } from '../../../domain/plain-text.ts';
import { upsert } from '../source.ts';
import { type ItemRows, itemRows } from './item-rows.ts';
import { outcomeOf } from './outcomes.ts';
import { agendaItemId, attachmentId } from './own-records.ts';
import { attachmentRow, type EventItemRow, parseRows, type Skipped } from './rows.ts';
import { mediaTypeOf, oneLine, paragraphs, publicUrl, type Text } from './values.ts';

const unmarked = (value: Text): Text => (typeof value === 'string' ? plainText(value) : value);

interface ItemPlace {
  readonly client: string;
  readonly meetingId: string;
  readonly agendaId: string;
  readonly sourceUrl: string;
}

function mapAttachments(row: EventItemRow, agendaItem: string, meetingId: string) {
  const { rows, skipped: undecodable } = parseRows(attachmentRow, 'MatterAttachmentId', 'document', row.EventItemMatterAttachments ?? []);
  const skipped = [...undecodable];
  /** By id: an address that occurs twice is one document. */
  const documents = new Map<string, RecordChange>();
  for (const attachment of rows) {
    const url = publicUrl(attachment.MatterAttachmentHyperlink);
    const fileName = oneLine(attachment.MatterAttachmentFileName);
    const title = oneLine(attachment.MatterAttachmentName) ?? fileName;
    const skip = (reason: string, isIntended?: true) =>
      skipped.push({ what: 'document', id: String(attachment.MatterAttachmentId), reason, ...(isIntended && { isIntended }) });
    if (attachment.MatterAttachmentShowOnInternetPage === false) skip('the source does not show it to the public', true);
    else if (url === null) skip('has no usable public address');
    else if (title === null) skip('has no name');
    else {
      const kind = attachment.MatterAttachmentIsSupportingDocument === false ? 'other' : 'exhibit';
      const content = { meetingId, agendaItemId: agendaItem, kind, title, url, mediaType: mediaTypeOf(fileName) } as const;
      const id = attachmentId(agendaItem, url);
      documents.set(id, upsert('documents', id, content));
    }
  }
  return { documents: [...documents.values()], skipped, isUncertain: undecodable.length > 0 };
}

const actionTextOf = (row: EventItemRow): string | null =>
  paragraphs(unmarked(row.EventItemActionText)) ?? oneLine(row.EventItemActionName);

/** The last action, and all of them where the source has several rows of the item. A row without an action is none. */
function actionsOf({ head, rows }: ItemRows) {
  const stated = rows.map((row) => ({ text: actionTextOf(row), outcome: outcomeOf(row) }));
  if (rows.length === 1) return { actionText: stated[0]!.text, outcome: stated[0]!.outcome };
  const actions = stated.filter(({ text }) => text !== null);
  const last = actions.at(-1);
  if (last === undefined) return { actionText: null, outcome: outcomeOf(head) };
  return { actionText: last.text, outcome: last.outcome, actions };
}

/** An item is on the agenda only with a title, or the file and name of a matter, and a sequence. `documentsUncertain`: a missing document may be an unreadable attachment. */
export function mapItems(source: readonly EventItemRow[], { client, meetingId, agendaId, sourceUrl }: ItemPlace) {
  const items: RecordChange[] = [];
  const documents = new Map<string, RecordChange>();
  const skipped: Skipped[] = [];
  let documentsUncertain = false;
  for (const { head, rows } of itemRows(source)) {
    const matterFile = oneLine(head.EventItemMatterFile);
    const matterName = oneLine(unmarked(head.EventItemMatterName));
    // A matter that the agenda lists without a title of the row is known by its name.
    const title = oneLine(unmarked(head.EventItemTitle)) ?? (matterFile === null ? null : matterName);
    const sequence = head.EventItemAgendaSequence ?? null;
    if (title === null || sequence === null) {
      const missing = title === null ? (sequence === null ? 'neither a title nor a sequence' : 'no title') : 'no sequence';
      const reason = `has ${missing}: it is not on the agenda`;
      skipped.push(...rows.map((row): Skipped => ({ what: 'item', id: String(row.EventItemId), reason, isIntended: true })));
      continue;
    }
    const id = agendaItemId(client, head.EventItemId);
    const content: RecordContent<'agenda_items'> = {
      meetingId,
      agendaId,
      sourceRecordId: String(head.EventItemId),
      sequence,
      agendaNumber: oneLine(head.EventItemAgendaNumber),
      title,
      text: paragraphs(unmarked(head.EventItemAgendaNote)),
      matterFile,
      matterType: oneLine(head.EventItemMatterType),
      matterName: matterName ?? undefined,
      matterStatus: oneLine(head.EventItemMatterStatus) ?? undefined,
      ...actionsOf({ head, rows }),
      sourceUrl,
    };
    items.push(upsert('agenda_items', id, content));
    for (const row of rows) {
      const attachments = mapAttachments(row, id, meetingId);
      for (const document of attachments.documents) documents.set(document.id, document);
      skipped.push(...attachments.skipped);
      documentsUncertain ||= attachments.isUncertain;
    }
  }
  return { items, documents: [...documents.values()], documentsUncertain, skipped };
}
