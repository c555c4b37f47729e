import { extname } from 'node:path';
import { DateTime } from 'luxon';
import { z } from 'zod';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import type { SourceSurvey } from '../source.ts';
import { lastPlausibleDay, localDate, oneLine } from './values.ts';

const DAYS = 366;

const bodyRow = z.object({ BodyName: z.string() });
const eventRow = z.object({
  EventDate: z.string(),
  EventAgendaFile: z.string().nullish(),
  EventHidden: z.string().optional(),
});

/** Returns the form of a document that its address shows, such as `pdf`; null if it shows none. */
function formOf(address: string): string | null {
  const url = URL.parse(address);
  if (url === null) return null;
  if (url.searchParams.get('html') === 'true') return 'html';
  const ending = extname(url.pathname).slice(1).toLowerCase();
  return ['pdf', 'docx', 'doc', 'html', 'htm'].includes(ending) ? ending : null;
}

/** Reads the bodies and the meetings of the last year and later; no agenda. `now` is in milliseconds. */
export async function surveyAgendas(reader: AgendaReader, now: number): Promise<SourceSurvey> {
  const bodies = (await reader.bodies()).flatMap((row) => oneLine(bodyRow.safeParse(row).data?.BodyName) ?? []);
  const from = DateTime.fromMillis(now, { zone: 'utc' }).minus({ days: DAYS }).toISODate()!;
  const last = lastPlausibleDay(now);
  const meetings = (await reader.events(from)).flatMap((row) => {
    const { data } = eventRow.safeParse(row);
    const day = localDate(data?.EventDate);
    if (data === undefined || data.EventHidden !== undefined || day === null || day < from || day > last) return [];
    return [{ day, agenda: data.EventAgendaFile ?? null }];
  });
  const newestFirst = meetings.toSorted((left, right) => (left.day < right.day ? 1 : -1));
  const withAgenda = newestFirst.find(({ agenda }) => agenda !== null);
  return {
    bodies,
    newestMeeting: newestFirst[0]?.day ?? null,
    newestAgenda: withAgenda?.day ?? null,
    agendaForm: withAgenda === undefined ? null : formOf(withAgenda.agenda!),
  };
}
