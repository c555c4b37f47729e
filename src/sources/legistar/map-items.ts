import type { NormalizedContent, RecordContent } from '../../../domain/records/resources.ts';
import { oneLine, paragraphs } from './clean-text.ts';
import { agendaItemId, attachmentId } from './legistar-ids.ts';
import { mediaTypeOf } from './media-types.ts';
import { publicUrl } from './public-url.ts';
import { attachmentRow, type EventItemRow, parseRows, type Skipped } from './rows.ts';

interface ItemPlace {
  readonly client: string;
  readonly meetingId: string;
  readonly agendaId: string;
  readonly sourceUrl: string;
}

interface MappedItems {
  readonly items: readonly { readonly id: string; readonly content: RecordContent<'agenda_items'> }[];
  readonly documents: readonly { readonly id: string; readonly content: RecordContent<'documents'> }[];
  /** Whether an attachment could not be read, so that a missing document may still exist. */
  readonly documentsUncertain: boolean;
  readonly skipped: readonly Skipped[];
}

function mapAttachments(row: EventItemRow, itemRecordId: string, place: ItemPlace) {
  const parsed = parseRows(attachmentRow, 'MatterAttachmentId', 'document', row.EventItemMatterAttachments ?? []);
  const skipped: Skipped[] = [...parsed.skipped];
  const documents = new Map<string, RecordContent<'documents'>>();
  for (const attachment of parsed.rows) {
    const id = String(attachment.MatterAttachmentId);
    const url = publicUrl(attachment.MatterAttachmentHyperlink);
    const fileName = oneLine(attachment.MatterAttachmentFileName);
    const title = oneLine(attachment.MatterAttachmentName) ?? fileName;
    if (attachment.MatterAttachmentShowOnInternetPage === false) {
      skipped.push({ what: 'document', id, reason: 'the source does not show it to the public' });
    } else if (url === null || title === null) {
      skipped.push({ what: 'document', id, reason: url === null ? 'has no usable public address' : 'has no name' });
    } else {
      documents.set(attachmentId(itemRecordId, url), {
        meetingId: place.meetingId,
        agendaItemId: itemRecordId,
        kind: attachment.MatterAttachmentIsSupportingDocument === false ? 'other' : 'exhibit',
        title,
        url,
        mediaType: mediaTypeOf(fileName),
      });
    }
  }
  return { documents: [...documents].map(([id, content]) => ({ id, content })), skipped, uncertain: parsed.skipped.length > 0 };
}

/** An event's items as agenda items and documents. An item belongs to the agenda only when it has both a title and a sequence. */
export function mapItems(rows: readonly EventItemRow[], place: ItemPlace): MappedItems {
  const items: MappedItems['items'][number][] = [];
  const documents: MappedItems['documents'][number][] = [];
  const skipped: Skipped[] = [];
  let documentsUncertain = false;
  for (const row of rows) {
    const title = oneLine(row.EventItemTitle);
    const sequence = row.EventItemAgendaSequence ?? null;
    if (title === null || sequence === null) {
      const missing = title === null ? (sequence === null ? 'neither a title nor a sequence' : 'no title') : 'no sequence';
      skipped.push({ what: 'item', id: String(row.EventItemId), reason: `has ${missing}: it is not on the agenda` });
      continue;
    }
    const id = agendaItemId(place.client, row.EventItemId);
    items.push({
      id,
      content: {
        meetingId: place.meetingId,
        agendaId: place.agendaId,
        sourceRecordId: String(row.EventItemId),
        sequence,
        agendaNumber: oneLine(row.EventItemAgendaNumber),
        title,
        text: paragraphs(row.EventItemAgendaNote),
        matterFile: oneLine(row.EventItemMatterFile),
        matterType: oneLine(row.EventItemMatterType),
        actionText: paragraphs(row.EventItemActionText) ?? oneLine(row.EventItemActionName),
        outcome: outcomeOf(row.EventItemActionName, row.EventItemMatterStatus),
        sourceUrl: place.sourceUrl,
      },
    });
    const attachments = mapAttachments(row, id, place);
    documents.push(...attachments.documents);
    skipped.push(...attachments.skipped);
    documentsUncertain ||= attachments.uncertain;
  }
  return { items, documents, documentsUncertain, skipped };
}

type Outcome = NonNullable<NormalizedContent<'agenda_items'>['outcome']>;

/**
 * Action and status names of the source with a certain outcome. Ambiguous ones are left out: "CPC Recommendation Followed" may be either,
 * "Held" is also used for a closed session, and "Deleted" is no decision.
 */
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['approved', 'approved'],
  ['adopted', 'approved'],
  ['approved as amended', 'approved'],
  ['adopted as amended', 'approved'],
  ['approved as an individual item', 'approved'],
  ['corrected; approved', 'approved'],
  ['corrected; approved as amended', 'approved'],
  ['corrected; approved as an individual item', 'approved'],
  ['hearing closed; approved', 'approved'],
  ['hearing closed; approved as amended', 'approved'],
  ['corrected; hearing closed; approved', 'approved'],
  ['denied', 'denied'],
  ['hearing closed; denied', 'denied'],
  ['hearing closed; denied with prejudice', 'denied'],
  ['hearing closed; denied without prejudice', 'denied'],
  ['hearing closed; cpc recommendation followed and denied without prejudice', 'denied'],
  ['continued', 'continued'],
  ['deferred', 'continued'],
  ['deferred with instructions', 'continued'],
  ['corrected; deferred', 'continued'],
  ['hearing open; deferred', 'continued'],
  ['hearing closed; deferred', 'continued'],
  ['corrected; hearing open; deferred', 'continued'],
  ['held under advisement', 'continued'],
  ['hearing closed; held under advisement', 'continued'],
  ['hearing open; held under advisement until later', 'continued'],
  ['withdrawn', 'withdrawn'],
  ['no action taken', 'no_action'],
]);

/** The outcome by the action taken at the meeting, or else by the status of the item. */
export const outcomeOf = (actionName: string | null | undefined, matterStatus: string | null | undefined): Outcome | null =>
  OUTCOMES.get((oneLine(actionName) ?? oneLine(matterStatus) ?? '').toLowerCase()) ?? null;
