import { mapInTurns } from '../../../domain/text/steps.ts';
import { meetingStatus, type TwinFile } from './map-event.ts';
import { areMinutesHidden, isAgendaPublished } from './publication.ts';
import type { EventItemRow, EventRow } from './rows.ts';
import { localDate, minutesOfDay, oneLine, publicUrl } from './values.ts';

/** One of several events that begin at the same time. */
export interface TwinReading {
  readonly row: EventRow;
  /** Lines of its published agenda. */
  readonly lines: readonly AgendaLine[];
  readonly status: string;
  readonly isPublished: boolean;
}

interface AgendaLine {
  readonly file: string | null;
  readonly number: string | null;
  readonly title: string;
}

/** Maximum characters of a title that are compared. */
const MAX_TITLE = 500;

/** The lines of an agenda and the status of its meeting, by which twins are found. */
export async function readForTwins(
  row: EventRow,
  rows: readonly EventItemRow[],
): Promise<Pick<TwinReading, 'lines' | 'status'>> {
  const published = isAgendaPublished(row) ? rows : [];
  const lines = await mapInTurns(published, (item): AgendaLine | null => {
    const title = oneLine((item.EventItemTitle ?? item.EventItemMatterName ?? '').slice(0, MAX_TITLE));
    if (title === null || typeof item.EventItemAgendaSequence !== 'number') return null;
    return {
      file: oneLine(item.EventItemMatterFile),
      number: oneLine(item.EventItemAgendaNumber),
      title: title.toLowerCase(),
    };
  });
  return {
    lines: lines.filter((line) => line !== null),
    status: meetingStatus(row, published, localDate(row.EventDate) ?? ''),
  };
}

/** Returns body, local day and minute of the start; null if one of them is unknown. */
function startKey(event: EventRow, timezone: string): string | null {
  const day = localDate(event.EventDate);
  const minutes = day === null ? null : minutesOfDay(event.EventTime, { day, timezone });
  return minutes === null ? null : `${event.EventBodyId} ${day} ${minutes}`;
}

/** Larger groups of events at the same time are not the same meeting. */
const MAX_TWINS = 6;

/** Returns groups of events of one body that begin at the same time, by the id of each event. */
export async function eventsAtOnce(
  events: readonly EventRow[],
  timezone: string,
): Promise<ReadonlyMap<number, readonly EventRow[]>> {
  const keys = await mapInTurns(events, (event) => startKey(event, timezone));
  const groups = Map.groupBy(events.entries(), ([index]) => keys[index] ?? null);
  groups.delete(null);
  const pairs = [...groups.values()].filter(({ length }) => length > 1 && length <= MAX_TWINS);
  return new Map(
    pairs.flatMap((entries) => {
      const group = entries.map(([, event]) => event);
      return group.map(({ EventId }) => [EventId, group] as const);
    }),
  );
}

/** Kinds of meetings that distinguish two meetings of a body at the same time, in English and Spanish. */
const KINDS = [
  /\b(?:special|especial|extraordinari[ao])\b/i,
  /\bemerg[eê]nc(?:y|ia)\b/i,
  /\b(?:executive|closed|ejecutiva|cerrada)\b/i,
  /\b(?:work ?shop|work ?session|study session|taller|sesi[oó]n de trabajo)\b/i,
  /\b(?:joint|conjunta)\b/i,
];
/** Maximum characters of a text that are read. */
const MAX_TEXT = 2_000;

const textOf = ({ EventTitle, EventName, EventComment }: EventRow): string =>
  [EventTitle, EventName, EventComment].map((text) => (text ?? '').slice(0, MAX_TEXT)).join('\n');

/** Returns the kinds of meeting that a text names, as a text that can be compared. */
export const kindsIn = (text: string): string =>
  KINDS.map((kind) => Number(kind.test(text.slice(0, MAX_TEXT)))).join('');

const isSameKind = (one: EventRow, other: EventRow): boolean =>
  KINDS.every((kind) => kind.test(textOf(one)) === kind.test(textOf(other))) &&
  oneLine(one.EventTitle)?.toLowerCase() === oneLine(other.EventTitle)?.toLowerCase();

const ENGLISH = /\b(?:the|of|and|to|for|by|with|from|on)\b/i;
/** Function words of Spanish, and letters that English does not have. */
const FOREIGN = /\b(?:de|del|la|el|los|las|para|con|por|una?|y)\b|(?![a-z])\p{L}/iu;

const isMostly = (rule: RegExp, lines: readonly AgendaLine[]): boolean =>
  lines.filter(({ title }) => rule.test(title)).length * 2 > lines.length;

/** True if two agendas have the same files and numbers, one in English and one in another language. */
function isTranslation(one: readonly AgendaLine[], other: readonly AgendaLine[]): boolean {
  const isAligned =
    one.length === other.length &&
    one.every(({ file, number }, index) => file === other[index]!.file && number === other[index]!.number);
  const isEnglish = (lines: readonly AgendaLine[]) => isMostly(ENGLISH, lines) && !isMostly(FOREIGN, lines);
  const isForeign = (lines: readonly AgendaLine[]) => isMostly(FOREIGN, lines) && !isMostly(ENGLISH, lines);
  return isAligned && ((isEnglish(one) && isForeign(other)) || (isForeign(one) && isEnglish(other)));
}

const keysOf = (lines: readonly AgendaLine[]): ReadonlySet<string> =>
  new Set(lines.map(({ file, title }) => file ?? title));

/** True if one agenda has every item of the other. */
function isSameAgenda(one: TwinReading, other: TwinReading): boolean {
  const [keys, otherKeys] = [keysOf(one.lines), keysOf(other.lines)];
  return keys.isSubsetOf(otherKeys) || otherKeys.isSubsetOf(keys) || isTranslation(one.lines, other.lines);
}

/** One entry of a meeting can be `held` and the other still `scheduled`. */
const isSameStatus = (one: string, other: string): boolean =>
  one === other || [one, other].every((status) => ['held', 'scheduled'].includes(status));

/** True if two events of one body that begin at the same time are the same meeting. Two events without agendas are not. */
const areTwins = (one: TwinReading, other: TwinReading): boolean =>
  (one.lines.length > 0 || other.lines.length > 0) &&
  isSameStatus(one.status, other.status) &&
  isSameKind(one.row, other.row) &&
  isSameAgenda(one, other);

/** A meeting and the events of the source that list it. */
export interface Joined<Reading> {
  /** The event that the meeting is published as. */
  readonly main: Reading;
  readonly twins: readonly Reading[];
  /** The event whose items are published. */
  readonly agenda: Reading;
  /** Row of the main event, with files of its twins that it lacks. */
  readonly row: EventRow;
  /** Additional files of the twins. `isHeld` is true if one of them took place. */
  readonly added?: { readonly files: readonly TwinFile[]; readonly isHeld: boolean };
}

/** Orders a published event first, then one with items, then by id. */
function compareReadings(one: TwinReading, other: TwinReading): number {
  return (
    Number(other.isPublished) - Number(one.isPublished) ||
    Number(other.lines.length > 0) - Number(one.lines.length > 0) ||
    one.row.EventId - other.row.EventId
  );
}

/** The agenda with the most items: it has those of its twins. */
function agendaOf<Reading extends TwinReading>(readings: readonly Reading[]): Reading | undefined {
  const counts = readings.map(({ lines }) => keysOf(lines).size);
  const most = Math.max(...counts);
  return most > 0 ? readings[counts.indexOf(most)] : readings.find(({ row }) => isAgendaPublished(row));
}

/** Joins events that begin at the same time into meetings. */
export function joinTwins<Reading extends TwinReading>(readings: readonly Reading[]): readonly Joined<Reading>[] {
  const joined: Joined<Reading>[] = [];
  let remaining = readings.toSorted(compareReadings);
  while (remaining.length > 0) {
    const [main, ...others] = remaining as [Reading, ...Reading[]];
    const twins: Reading[] = [];
    // Two agendas may have no more in common than the main one has: its opening and its end.
    for (const other of others) if ([main, ...twins].every((each) => areTwins(each, other))) twins.push(other);
    const agenda = agendaOf([main, ...twins]) ?? main;
    joined.push({
      main,
      twins,
      agenda,
      ...(twins.length === 0 ? { row: main.row } : withFilesOf(main, twins, agenda)),
    });
    remaining = others.filter((other) => !twins.includes(other));
  }
  return joined;
}

const FIELDS = { agenda: 'EventAgendaFile', minutes: 'EventMinutesFile' } as const;
const isShown = { agenda: isAgendaPublished, minutes: (row: EventRow) => !areMinutesHidden(row) } as const;

/** Adds a twin's file if the main event lacks one; other files of twins are further documents. */
function withFilesOf(
  main: TwinReading,
  twins: readonly TwinReading[],
  agenda: TwinReading,
): Pick<Joined<TwinReading>, 'row' | 'added'> {
  const { EventAgendaStatusName, EventAgendaLastPublishedUTC } = agenda.row;
  const row: EventRow = { ...main.row, EventAgendaStatusName, EventAgendaLastPublishedUTC };
  const files: TwinFile[] = [];
  for (const kind of ['agenda', 'minutes'] as const) {
    const published = [main, ...twins].map((reading) => reading.row).filter(isShown[kind]);
    const byUrl = new Map<string, TwinFile>();
    for (const { EventId: eventId, [FIELDS[kind]]: address } of published) {
      const url = publicUrl(address);
      if (url !== null && !byUrl.has(url)) byUrl.set(url, { kind, url, eventId });
    }
    const [first, ...others] = byUrl.values();
    row[FIELDS[kind]] = first?.url ?? (published.includes(main.row) ? main.row[FIELDS[kind]] : null);
    files.push(...others);
  }
  return { row, added: { files, isHeld: twins.some(({ status }) => status === 'held') } };
}
