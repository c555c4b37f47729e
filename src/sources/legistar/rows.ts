import { z } from 'zod';

/** Rows as the Legistar Web API sends them: only the fields that are used, everything but the identity may be missing or null. */
const text = z.string().nullish();
export const bodyRow = z.object({ BodyId: z.int(), BodyName: z.string(), BodyTypeName: text, BodyActiveFlag: z.int().nullish() });

export const eventRow = z.object({
  EventId: z.int(),
  EventBodyId: z.int(),
  EventBodyName: text,
  /** The meeting's own name, of platforms that give one. */
  EventTitle: text,
  EventDate: z.string(),
  EventTime: text,
  EventLastModifiedUtc: text,
  EventAgendaStatusName: text,
  EventMinutesStatusName: text,
  EventLocation: text,
  EventComment: text,
  /** The whole name of the meeting, of platforms without a comment: it may say that the meeting is cancelled. */
  EventName: text,
  EventAgendaFile: text,
  EventMinutesFile: text,
  EventAgendaLastPublishedUTC: text,
  EventVideoStatus: text,
  EventVideoPath: text,
  EventMedia: z.union([z.string(), z.number()]).nullish(),
  EventInSiteURL: text,
});

export const eventItemRow = z.object({
  EventItemId: z.int(),
  EventItemAgendaSequence: z.int().nullish(),
  EventItemMinutesSequence: z.int().nullish(),
  EventItemAgendaNumber: text,
  EventItemTitle: text,
  EventItemAgendaNote: text,
  EventItemActionName: text,
  EventItemActionText: text,
  EventItemPassedFlagName: text,
  EventItemMatterFile: text,
  EventItemMatterType: text,
  EventItemMatterName: text,
  EventItemMatterStatus: text,
  EventItemMatterAttachments: z.array(z.unknown()).nullish(),
});

export const attachmentRow = z.object({
  MatterAttachmentId: z.int(),
  MatterAttachmentName: text,
  MatterAttachmentHyperlink: text,
  MatterAttachmentFileName: text,
  MatterAttachmentIsSupportingDocument: z.boolean().nullish(),
  MatterAttachmentShowOnInternetPage: z.boolean().nullish(),
});

export type BodyRow = z.output<typeof bodyRow>;
export type EventRow = z.output<typeof eventRow>;
export type EventItemRow = z.output<typeof eventItemRow>;

/** Something that was left out, with the source's own id where it could be read. */
export interface Skipped {
  readonly what: 'body' | 'event' | 'item' | 'document';
  readonly id: string | null;
  readonly reason: string;
  /** The source itself does not publish it: nothing is lost. */
  readonly isIntended?: true;
}

const reasonOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'row'}: ${issue.message}`).join('; ');

/** Of two rows with one id the later stays. `undecodable`: ids of unreadable rows. `unidentified`: a row has no id: none has vanished. */
export function parseRows<Row>(schema: z.ZodType<Row>, idField: string, what: Skipped['what'], source: readonly unknown[]) {
  const rows = new Map<number, Row>();
  const undecodable = new Set<number>();
  const skipped: Skipped[] = [];
  let unidentified = false;
  for (const value of source) {
    const candidate = (value as Readonly<Record<string, unknown>> | null)?.[idField];
    const id = typeof candidate === 'number' && Number.isSafeInteger(candidate) ? candidate : null;
    const parsed = schema.safeParse(value);
    if (parsed.success && id !== null) {
      rows.set(id, parsed.data);
      continue;
    }
    if (id === null) unidentified = true;
    else undecodable.add(id);
    skipped.push({ what, id: id === null ? null : String(id), reason: parsed.success ? 'has no id' : reasonOf(parsed.error) });
  }
  return { rows: [...rows.values()], undecodable, unidentified, skipped };
}
