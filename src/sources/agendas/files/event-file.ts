import type { AgendaDocument, AgendaDocumentItem } from '../../../../domain/agenda-text/read-agenda.ts';
import type { DocumentVersion } from '../../../../domain/ports/documents.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';
import { beginningOf } from '../../../../domain/text/source-text.ts';
import { runInTurns } from '../../../../domain/text/steps.ts';
import type { OwnRecord } from '../../source.ts';
import { fileId } from '../own-records.ts';
import { isAgendaPublished } from '../publication.ts';
import type { EventItemRow, EventRow } from '../rows.ts';
import { type RunContext, today } from '../run-context.ts';
import { localDate, minutesOfDay, oneLine, publicUrl, toTwelveHourTime } from '../values.ts';
import type { EventFile, FileFacts } from './read-file.ts';
import { type AgendaFiles, isDivided, isDocument, type ReadFile } from './agenda-files.ts';
import { itemIdsInSteps } from './item-ids.ts';

const PDF = 'application/pdf';
/** Maximum characters of a title, so that a page of a hundred records has less than a megabyte. */
const MAX_TITLE = 2_000;
/** Maximum characters of a section, which each of its items contains. */
const MAX_SECTION = 500;

const factsOf = ({ mediaType, bytes, sha256, agenda }: DocumentVersion): FileFacts => ({
  mediaType,
  bytes,
  sha256,
  textEvidence: agenda.textEvidence,
});

function itemRow(item: AgendaDocumentItem, index: number, itemId: number, link: string): EventItemRow {
  const title = beginningOf(item.title, MAX_TITLE);
  return {
    ...(title !== item.title && { cutTexts: ['EventItemTitle'] }),
    EventItemId: itemId,
    EventItemAgendaSequence: index + 1,
    EventItemAgendaNumber: item.number,
    EventItemTitle: title,
    EventItemGroup: item.section === null ? null : beginningOf(item.section, MAX_SECTION),
    EventItemKind: item.kind,
    EventItemInSiteURL: link,
  } as EventItemRow;
}

/** The status and the start that the paper adds. A paper of another day adds nothing. */
function rowOf(event: EventRow, { date, time, status }: AgendaDocument, timezone: string): Partial<EventRow> {
  const day = localDate(event.EventDate);
  const isSameDay = day !== null && date === day;
  const isUntimed = day !== null && minutesOfDay(event.EventTime, { day, timezone }) === null;
  const start = isSameDay && isUntimed && time !== null ? toTwelveHourTime(`${day}T${time}`) : null;
  return {
    ...(status === 'cancelled' && (date === null || isSameDay) && { EventAgendaStatusName: 'Canceled' }),
    ...(start !== null && { EventTime: start }),
  };
}

/** The same of a paper without items, which might be another file than an agenda if it states no day. */
const rowOfUndivided = (event: EventRow, agenda: AgendaDocument, timezone: string): Partial<EventRow> =>
  agenda.date === null ? {} : rowOf(event, agenda, timezone);

function flawsOf(event: EventRow, { version, failure, isWaiting }: ReadFile): readonly string[] {
  if (isWaiting === true) return ['its agenda waits for a later sync'];
  const agenda = version?.agenda;
  const isOtherDay = agenda?.date != null && agenda.date !== localDate(event.EventDate);
  return [
    ...(failure === null ? [] : [`its agenda could not be read: ${failure}`]),
    ...(failure === null && agenda !== undefined && !isDivided(agenda) ? [`its agenda ${agenda.reason}`] : []),
    ...(isOtherDay ? [`its agenda is dated ${agenda.date}`] : []),
  ];
}

/** Reads the agenda of an event from its file. Returns null if the event has no public file. */
export async function readEventFile(
  run: RunContext,
  files: AgendaFiles,
  event: EventRow,
  own: readonly OwnRecord[],
): Promise<EventFile | null> {
  const agendaLink = publicUrl(event.EventAgendaFile);
  const kind = agendaLink === null ? 'packet' : 'agenda';
  const link = agendaLink ?? publicUrl(event.EventPacketFile);
  if (link === null || !isAgendaPublished(event)) return null;
  const address = oneLine(kind === 'agenda' ? event.EventAgendaDownload : event.EventPacketDownload) ?? link;
  const day = today(run);
  const isPast = (localDate(event.EventDate) ?? day) < day;
  const file = await files.read({ address, isPast, isForced: run.since !== null });
  const { version } = file;
  const itemRecords = own.filter(({ resource }) => resource === 'agenda_items').map(({ id }) => id);
  const flaws = flawsOf(event, file);
  if (version === null || !isDivided(version.agenda)) {
    const opened = version !== null && isDocument(version) ? factsOf(version) : null;
    const facts = opened ?? (await publishedFacts(run, fileId(run.client, event.EventId, kind), link));
    // Facts of an earlier version show that an agenda or a notice was published from it.
    const isKept = itemRecords.length > 0 || (opened === null && facts?.sha256 != null);
    const row = version === null ? {} : rowOfUndivided(event, version.agenda, run.place.timezone);
    return { kind, row, items: [], facts, isKept, flaws, version: opened === null ? null : version };
  }
  const items = await rowsOf(run, event, itemRecords, version, link.split('#', 1)[0]!);
  const row = rowOf(event, version.agenda, run.place.timezone);
  return { kind, row, items, facts: factsOf(version), isKept: false, flaws, version };
}

async function rowsOf(
  { known }: RunContext,
  event: EventRow,
  itemRecords: readonly string[],
  { agenda, mediaType }: DocumentVersion,
  link: string,
): Promise<readonly EventItemRow[]> {
  const published: readonly RecordData<'agenda_items'>[] = [
    ...(await known.current('agenda_items', itemRecords)).values(),
  ].toSorted((left, right) => left.sequence - right.sequence);
  const earlier = published.map((item) => ({
    itemId: Number(item.sourceRecordId),
    number: item.agendaNumber,
    title: item.title,
  }));
  const ids = await runInTurns(itemIdsInSteps(event.EventId, agenda.items, earlier));
  return agenda.items.map((item, index) =>
    itemRow(item, index, ids[index]!, mediaType === PDF ? `${link}#page=${item.page}` : link),
  );
}

/** The facts that are published for the address: a failed read does not change them. */
async function publishedFacts({ known }: RunContext, id: string, url: string): Promise<FileFacts | null> {
  const published = (await known.current('documents', [id])).get(id);
  if (published?.url !== url) return null;
  const { mediaType, bytes, sha256, textEvidence } = published;
  return { mediaType, bytes, sha256, textEvidence };
}
