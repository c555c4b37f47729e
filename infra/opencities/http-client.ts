import {
  type OpenCitiesClient,
  RecordGone,
  SourceUnavailable,
  UnknownSourceClient,
} from '../../domain/ports/source-ports.ts';
import { GONE, type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';
import { requireRowsWithin } from '../system/read-budget.ts';

const LANGUAGE = 'en-US';

/** Creates a client for the calendar of an OpenCities site at the address `site`. The calendar is read year by year. */
export function openCitiesHttpClient(site: string, calendarId: string, options: JsonReaderOptions): OpenCitiesClient {
  const read = jsonReader(options, () => null);
  /** Returns the data of a response, or the symbol for a missing one. */
  const dataAt = async (
    path: string,
    parameters: Readonly<Record<string, string>>,
    posted?: unknown,
  ): Promise<unknown> => {
    const answer = await read(`${site}/ocapi/${path}`, parameters, { posted });
    if (answer === NOT_FOUND || answer === GONE) return answer;
    const { success, data } = (answer ?? {}) as { readonly success?: unknown; readonly data?: unknown };
    if (success !== true) throw new SourceUnavailable(`the source answers ${path} without success`);
    return data;
  };
  return {
    entries: async (year) => {
      const query = {
        LanguageCode: LANGUAGE,
        Ids: [calendarId],
        StartDate: `${year}-01-01`,
        EndDate: `${year}-12-31`,
      };
      const days = (await dataAt('calendars/getcalendaritems', {}, query)) ?? [];
      if (typeof days === 'symbol')
        throw new UnknownSourceClient(`${site} has no calendar service; check the address of the site`);
      if (!Array.isArray(days)) throw new SourceUnavailable('the source has no list of days in its calendar');
      const entries = days.flatMap((day: { readonly Items?: unknown } | null) => {
        if (!Array.isArray(day?.Items))
          throw new SourceUnavailable('the source has no list of entries in a day of its calendar');
        return day.Items as unknown[];
      });
      return requireRowsWithin(entries, `the calendar of ${year}`);
    },
    details: async ({ CalendarId, Id, MainContentId, DateTime }) => {
      const query = {
        calendarId: CalendarId,
        contentId: Id,
        language: LANGUAGE,
        currentDateTime: DateTime,
        mainContentId: MainContentId,
      };
      const details = await dataAt('get/contentinfo', query);
      if (details === GONE) throw new RecordGone(`the source no longer has details of the entry ${Id}`);
      if (details === NOT_FOUND) throw new SourceUnavailable(`the source has no details of the entry ${Id}`);
      return details;
    },
  };
}
