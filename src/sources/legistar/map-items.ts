import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { plainText } from '../../../domain/plain-text.ts';
import { upsert } from '../source.ts';
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
    const skip = (reason: string) => skipped.push({ what: 'document', id: String(attachment.MatterAttachmentId), reason });
    if (attachment.MatterAttachmentShowOnInternetPage === false) skip('the source does not show it to the public');
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

/** An item is on the agenda only with a title and a sequence. `documentsUncertain`: a missing document may be an unreadable attachment. */
export function mapItems(rows: readonly EventItemRow[], { client, meetingId, agendaId, sourceUrl }: ItemPlace) {
  const items: RecordChange[] = [];
  const documents: RecordChange[] = [];
  const skipped: Skipped[] = [];
  let documentsUncertain = false;
  for (const row of rows) {
    const title = oneLine(unmarked(row.EventItemTitle));
    const sequence = row.EventItemAgendaSequence ?? null;
    if (title === null || sequence === null) {
      const missing = title === null ? (sequence === null ? 'neither a title nor a sequence' : 'no title') : 'no sequence';
      skipped.push({ what: 'item', id: String(row.EventItemId), reason: `has ${missing}: it is not on the agenda` });
      continue;
    }
    const id = agendaItemId(client, row.EventItemId);
    items.push(
      upsert('agenda_items', id, {
        meetingId,
        agendaId,
        sourceRecordId: String(row.EventItemId),
        sequence,
        agendaNumber: oneLine(row.EventItemAgendaNumber),
        title,
        text: paragraphs(unmarked(row.EventItemAgendaNote)),
        matterFile: oneLine(row.EventItemMatterFile),
        matterType: oneLine(row.EventItemMatterType),
        matterName: oneLine(unmarked(row.EventItemMatterName)) ?? undefined,
        matterStatus: oneLine(row.EventItemMatterStatus) ?? undefined,
        actionText: paragraphs(unmarked(row.EventItemActionText)) ?? oneLine(row.EventItemActionName),
        outcome: outcomeOf(row.EventItemActionName, row.EventItemMatterStatus),
        sourceUrl,
      }),
    );
    const attachments = mapAttachments(row, id, meetingId);
    documents.push(...attachments.documents);
    skipped.push(...attachments.skipped);
    documentsUncertain ||= attachments.isUncertain;
  }
  return { items, documents, documentsUncertain, skipped };
}

type Outcome = NonNullable<NormalizedContent<'agenda_items'>['outcome']>;

/** Without ambiguous names: "CPC Recommendation Followed" may be either, "Held" may be a closed session, "Deleted" is no decision. */
const NAMES: Readonly<Record<Outcome, string>> = {
  approved: `
    approved | adopted | approved as amended | adopted as amended | approved as an individual item | corrected; approved |
    corrected; approved as amended | corrected; approved as an individual item | hearing closed; approved |
    hearing closed; approved as amended | corrected; hearing closed; approved`,
  denied: `
    denied | hearing closed; denied | hearing closed; denied with prejudice | hearing closed; denied without prejudice |
    hearing closed; cpc recommendation followed and denied without prejudice`,
  continued: `
    continued | deferred | deferred with instructions | corrected; deferred | hearing open; deferred | hearing closed; deferred |
    corrected; hearing open; deferred | held under advisement | hearing closed; held under advisement |
    hearing open; held under advisement until later`,
  withdrawn: 'withdrawn',
  no_action: 'no action taken',
};
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map(
  (Object.keys(NAMES) as Outcome[]).flatMap((outcome) => NAMES[outcome].split('|').map((name) => [name.trim(), outcome] as const)),
);

export const outcomeOf = (actionName: Text, matterStatus: Text): Outcome | null =>
  OUTCOMES.get((oneLine(actionName) ?? oneLine(matterStatus) ?? '').toLowerCase()) ?? null;
