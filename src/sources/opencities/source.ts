import { type Source, SyncRefused } from '../source.ts';

export const OPENCITIES: Source = {
  description: 'a calendar of an OpenCities site, such as those of Fort Worth',
  client: 'the id of the calendar; that of the boards of Fort Worth is 788ffb59-05d1-457d-b9dd-423d4b95a06e',
  options: [
    ['--base-url <url>', 'address of the site; needed for a calendar outside the shipped table'],
    ['--since <date>', 'every meeting dated on or after YYYY-MM-DD, instead of all'],
    ['--jurisdiction <slug>', 'jurisdiction of a calendar outside the shipped table'],
  ],
};

const FORT_WORTH = 'https://www.fortworthtexas.gov';
/** Sites of the shipped calendars: boards and council of Fort Worth. */
const SITES: Readonly<Record<string, string>> = {
  '788ffb59-05d1-457d-b9dd-423d4b95a06e': FORT_WORTH,
  '8a8add9a-3fd0-4b39-9a3e-d58e98e27acc': FORT_WORTH,
};

/** The site of a calendar. Throws `SyncRefused` where it is not known. */
export function openCitiesSite(client: string, baseUrl?: string): string {
  const site = baseUrl ?? (Object.hasOwn(SITES, client) ? SITES[client] : undefined);
  if (site === undefined)
    throw new SyncRefused(`the site of the calendar ${client} is not known: give its address with --base-url`);
  return site;
}
