import { z } from 'zod';
import { MAX_SOURCE_TEXT, plainText, readSourceText } from '../../../domain/text/source-text.ts';
import { runAtOnce, type Steps } from '../../../domain/text/steps.ts';

/**
 * Rows in the form of the Legistar Web API, with the used fields only. Every field except the id can be missing or
 * null.
 */
const plain = z.string().transform(plainText);
/** A text that people or rules read, as plain text. */
const text = plain.nullish();
/** A value of another type counts as missing: the row has its place on the agenda without it. */
const lenientText = text.catch(null);
/** A longer text is neither an address nor a stamp. */
const MAX_VERBATIM = 8_000;
/** An address or a stamp, as it is sent. */
const raw = z
  .string()
  .nullish()
  .transform((value) => (typeof value === 'string' && value.length > MAX_VERBATIM ? null : value));
export const bodyRow = z.object({
  BodyId: z.int(),
  BodyName: plain,
  BodyTypeName: text,
  BodyActiveFlag: z.int().nullish(),
});

export const eventRow = z.object({
  EventId: z.int(),
  EventBodyId: z.int(),
  EventBodyName: text,
  /** The meeting's own name, on platforms that have one. */
  EventTitle: text,
  EventDate: z.string().transform((date) => date.slice(0, MAX_VERBATIM)),
  EventTime: text,
  EventLastModifiedUtc: raw,
  EventAgendaStatusName: text,
  EventMinutesStatusName: text,
  EventLocation: text,
  EventComment: text,
  /**
   * The whole name of the meeting, on platforms without a comment. It can contain a notice that the meeting is
   * canceled.
   */
  EventName: text,
  /** Reason why the source hides the event from the public, on platforms with such a mark. */
  EventHidden: raw,
  /** True if the event is hidden because no body could be found, not by the source. */
  EventUnplaced: z.boolean().nullish(),
  EventAgendaFile: raw,
  /** Address that serves the agenda as a file, where `EventAgendaFile` is a page. */
  EventAgendaDownload: raw,
  /** The agenda with its attachments in one file, on platforms that have one. */
  EventPacketFile: raw,
  /** Address that serves the packet as a file, where `EventPacketFile` is a page. */
  EventPacketDownload: raw,
  /** True if the agenda was read and contains text. Absent if only its file is known. */
  EventAgendaHasText: z.boolean().nullish(),
  EventMinutesFile: raw,
  /** Further papers, such as an agenda that was replaced and one in another language, on platforms that list them. */
  EventOtherFiles: z.array(z.string()).nullish(),
  EventAgendaLastPublishedUTC: raw,
  EventVideoStatus: text,
  EventVideoPath: raw,
  EventMedia: z.union([z.string(), z.number()]).nullish(),
  EventInSiteURL: raw,
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
  EventItemTally: lenientText,
  EventItemMover: lenientText,
  EventItemSeconder: lenientText,
  EventItemLastModifiedUtc: raw.catch(null),
  EventItemRowVersion: raw.catch(null),
  /** Heading of the row's group, on platforms that have one. */
  EventItemGroup: text,
  /** Kind of the row, where the source of the rows decides it with the section. */
  EventItemKind: z.enum(['item', 'heading', 'procedural']).nullish(),
  /** Address of the item, if it has one. */
  EventItemInSiteURL: raw,
  EventItemMatterFile: text,
  EventItemMatterType: text,
  EventItemMatterName: text,
  EventItemMatterStatus: text,
  EventItemMatterRestrictViewViaWeb: z.boolean().nullish(),
  MatterRestrictViewViaWeb: z.boolean().nullish(),
  EventItemMatterAttachments: z.array(z.unknown()).nullish(),
});

export const voteRow = z.object({
  VoteId: z.int(),
  VoteEventItemId: z.int().nullish(),
  VotePersonName: text,
  VoteValueName: text,
  VoteSort: z.int().nullish(),
});

export const attachmentRow = z.object({
  MatterAttachmentId: z.int(),
  MatterAttachmentName: text,
  MatterAttachmentHyperlink: raw,
  MatterAttachmentFileName: text,
  MatterAttachmentIsSupportingDocument: z.boolean().nullish(),
  MatterAttachmentShowOnInternetPage: z.boolean().nullish(),
});

/** Names of the texts of a row that are longer than what is published. */
interface CutTexts {
  readonly cutTexts?: readonly string[];
}
export type BodyRow = z.output<typeof bodyRow>;
export type EventRow = z.output<typeof eventRow> & CutTexts;
export type EventItemRow = z.output<typeof eventItemRow> & CutTexts;

/** A row that was left out, with the source's own id if it could be read. */
export interface Skipped {
  readonly what: 'body' | 'event' | 'item' | 'vote' | 'document';
  readonly id: string | null;
  readonly reason: string;
  /** Public address of the row, where one is known. */
  readonly address?: string;
  /** The source itself does not publish it: nothing is lost. */
  readonly isIntended?: true;
}

const reasonOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'row'}: ${issue.message}`).join('; ');

/** Returns why a part of a list could not be read, if the row represents such a part. */
function unreadReason(row: unknown): string | null {
  const reason = (row as { readonly EventUnread?: unknown } | null)?.EventUnread;
  return typeof reason === 'string' ? reason : null;
}

/** Characters of the texts of a row that are decoded in one step; each text of a longer row is cut. */
const MAX_ROW = 300_000;
const MAX_TEXT_OF_LONG_ROW = 30_000;

/** The row, and the names of the texts that were cut. */
function boundedRow(row: unknown): { readonly row: unknown; readonly cut: ReadonlySet<string> } {
  const fields = typeof row === 'object' && row !== null ? Object.entries(row) : [];
  const length = fields.reduce((sum, [, value]) => sum + (typeof value === 'string' ? value.length : 0), 0);
  if (length <= MAX_ROW) return { row, cut: new Set() };
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > MAX_TEXT_OF_LONG_ROW;
  return {
    row: Object.fromEntries(
      fields.map(([name, value]) => [name, isLong(value) ? value.slice(0, MAX_TEXT_OF_LONG_ROW) : value]),
    ),
    cut: new Set(fields.filter(([, value]) => isLong(value)).map(([name]) => name)),
  };
}

function cutTexts(row: object, original: object, cut: ReadonlySet<string>): CutTexts {
  const names = Object.keys(row).filter((name) => {
    if (cut.has(name)) return true;
    const value = (original as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' && value.length > MAX_SOURCE_TEXT && readSourceText(value).isCut;
  });
  return names.length === 0 ? {} : { cutTexts: names };
}

export interface ParsedRows<Row> {
  readonly rows: readonly (Row & CutTexts)[];
  /** Ids of unreadable rows. */
  readonly undecodable: ReadonlySet<number>;
  /** True if a row has no id: then none has vanished. */
  readonly unidentified: boolean;
  readonly skipped: readonly Skipped[];
}

/** Parses rows. If two rows have the same id, the later one wins. */
export const parseRows = <Row extends object>(...args: Parameters<typeof parseRowsInSteps<Row>>): ParsedRows<Row> =>
  runAtOnce(parseRowsInSteps(...args));

export function* parseRowsInSteps<Row extends object>(
  schema: z.ZodType<Row>,
  idField: string,
  what: Skipped['what'],
  source: readonly unknown[],
): Steps<ParsedRows<Row>> {
  const rows = new Map<number, Row & CutTexts>();
  const undecodable = new Set<number>();
  const skipped: Skipped[] = [];
  let unidentified = false;
  for (const original of source) {
    yield;
    const { row: value, cut } = boundedRow(original);
    const candidate = (value as Readonly<Record<string, unknown>> | null)?.[idField];
    const id = typeof candidate === 'number' && Number.isSafeInteger(candidate) ? candidate : null;
    const parsed = schema.safeParse(value);
    if (parsed.success && id !== null) {
      rows.set(id, { ...parsed.data, ...cutTexts(parsed.data, value as object, cut) });
      continue;
    }
    if (id === null) unidentified = true;
    else undecodable.add(id);
    skipped.push({
      what,
      id: id === null ? null : String(id),
      reason: unreadReason(value) ?? (parsed.success ? 'has no id' : reasonOf(parsed.error)),
    });
  }
  return { rows: [...rows.values()], undecodable, unidentified, skipped };
}
