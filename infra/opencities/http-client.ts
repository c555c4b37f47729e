import { type OpenCitiesClient, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';

const LANGUAGE = 'en-US';

/** The calendar service of an OpenCities site. `site` is its address. It answers for one year at a time. */
export function openCitiesHttpClient(site: string, calendarId: string, options: JsonReaderOptions): OpenCitiesClient {
  const read = jsonReader(options, () => null);
  const dataAt = async (path: string, parameters: Readonly<Record<string, string>>, posted?: unknown): Promise<unknown> => {
    const answer = await read(`${site}/ocapi/${path}`, parameters, posted);
    if (answer === NOT_FOUND) throw new UnknownSourceClient(`${site} has no calendar service; check the address of the site`);
    const { success, data } = (answer ?? {}) as { readonly success?: unknown; readonly data?: unknown };
    if (success !== true) throw new SourceUnavailable(`the source answers ${path} without success`);
    return data;
  };
  return {
    entries: async (year) => {
      const wanted = { LanguageCode: LANGUAGE, Ids: [calendarId], StartDate: `${year}-01-01`, EndDate: `${year}-12-31` };
      const days = (await dataAt('calendars/getcalendaritems', {}, wanted)) ?? [];
      if (!Array.isArray(days)) throw new SourceUnavailable('the source has no list of days in its calendar');
      return days.flatMap((day: { readonly Items?: unknown } | null) => {
        if (!Array.isArray(day?.Items)) throw new SourceUnavailable('the source has no list of entries in a day of its calendar');
        return day.Items as unknown[];
      });
    },
    details: ({ CalendarId, Id, MainContentId, DateTime }) =>
      dataAt('get/contentinfo', {
        calendarId: CalendarId,
        contentId: Id,
        language: LANGUAGE,
        currentDateTime: DateTime,
        mainContentId: MainContentId,
      }),
  };
}
