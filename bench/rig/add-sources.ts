import { openCivic } from '../../src/app/composition.ts';
import { readSettings } from '../../src/app/settings.ts';
import { serveJobs } from './processes.ts';

const DEADLINE_MS = 30_000;
const AT_A_TIME = 8;

/** Adds an AgendaCenter for each address, as `civic sources add` does. The environment names the data directory. */
serveJobs(async ({ urls }: { readonly urls: readonly string[] }): Promise<number> => {
  const civic = await openCivic(readSettings(process.env).settings, 'command', []);
  try {
    const add = (baseUrl: string, index: number) =>
      civic.addSource(
        {
          source: 'civicplus',
          client: `site-${index}.example`,
          jurisdiction: { slug: `place-${index}`, name: `Place ${index}`, timezone: 'America/Chicago' },
          isPublic: false,
          baseUrl,
        },
        DEADLINE_MS,
      );
    // A few at a time, because all additions append to one stream.
    for (let from = 0; from < urls.length; from += AT_A_TIME)
      await Promise.all(urls.slice(from, from + AT_A_TIME).map((url, index) => add(url, from + index)));
    return urls.length;
  } finally {
    await civic.close();
  }
});
