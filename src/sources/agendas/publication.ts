import { anyPhrase } from '../../../domain/text/patterns.ts';
import type { EventItemRow, EventRow } from './rows.ts';
import { oneLine, publicUrl, type Text, utcStamp } from './values.ts';

/** Maximum characters of a status that are read. */
const MAX_STATUS = 200;

const SHOWN = '(?:viewable|visible|for|available|accessible|open|released|shown|displayed)';
const USE = '(?:use|view|viewing|access|release|distribution|display)';
const THE_PUBLIC = `(?:to |by |for )?(?:the )?(?:general )?public(?: ${USE})?`;
/** "Not Viewable by the Public", "Draft - not for public", "Internal use only"; not "Not a public hearing". */
const NOT_PUBLIC = new RegExp(
  [
    String.raw`\bnot (?:yet )?(?:${SHOWN} )?${THE_PUBLIC}(?= ?[^ \w]|$)`,
    String.raw`\b(?:internal(?: use)?|staff) only\b`,
    String.raw`\bconfidential\b`,
  ].join('|'),
  'i',
);

const statusOf = (value: Text): string => oneLine((value ?? '').slice(0, MAX_STATUS)) ?? '';

const isNotPublic = (status: Text): boolean => NOT_PUBLIC.test(statusOf(status));

const UNFINISHED = anyPhrase(`
  borrador, unpublished, not (?:yet )?published, in (?:progress|preparation), work in progress, pending,
  incomplete
`);
/** Statuses of an agenda that is still being written. */
const DRAFT = new RegExp(String.raw`^(?!final\b).*\bdraft\b|^${UNFINISHED}\b`, 'i');
/** Statuses of an agenda that is not final but might be published. */
const PRELIMINARY = /^(?:tentative|preliminary|proposed)\b/i;

/**
 * True if the source has published the agenda of an event. A time of publication proves it. Without one, a draft is not published, a preliminary
 * agenda is published if it has a file, and any other agenda is published: some sources never state the time.
 */
export function isAgendaPublished(
  event: Pick<EventRow, 'EventAgendaStatusName' | 'EventAgendaLastPublishedUTC' | 'EventAgendaFile'>,
) {
  if (isNotPublic(event.EventAgendaStatusName)) return false;
  if (publicationTime(event.EventAgendaLastPublishedUTC) !== null) return true;
  const status = statusOf(event.EventAgendaStatusName);
  return !DRAFT.test(status) && !(PRELIMINARY.test(status) && publicUrl(event.EventAgendaFile) === null);
}

/** Returns the time of publication in ISO 8601; null if it is missing or, as some sources write for a missing one, in the year 1. */
export function publicationTime(value: Text): string | null {
  const time = utcStamp(value);
  return time !== null && time > '1900' ? time : null;
}

/** Returns why the source does not show an event to the public; null if it does. Hidden minutes do not hide a meeting with a published agenda. */
export function whyEventIsHidden(event: EventRow): string | null {
  const { EventAgendaStatusName: agenda, EventMinutesStatusName: minutes, EventHidden: hidden } = event;
  if (hidden != null) return hidden;
  if (isNotPublic(agenda))
    return `the source does not show it to the public (agenda status ${JSON.stringify(statusOf(agenda))})`;
  if (isNotPublic(minutes) && !isAgendaPublished(event))
    return `the source does not show it to the public (minutes status ${JSON.stringify(statusOf(minutes))})`;
  return null;
}

export const areMinutesHidden = (event: Pick<EventRow, 'EventMinutesStatusName'>): boolean =>
  isNotPublic(event.EventMinutesStatusName);

/** True if the row states that its matter is not public. A restriction that only the record of the matter states is not read. */
export const isMatterHidden = (row: EventItemRow): boolean =>
  row.MatterRestrictViewViaWeb === true ||
  row.EventItemMatterRestrictViewViaWeb === true ||
  isNotPublic(row.EventItemMatterStatus);
