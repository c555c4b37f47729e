import { openCivic } from '../../src/app/composition.ts';
import { readSettings } from '../../src/app/settings.ts';
import { serveJobs } from './processes.ts';

const DEADLINE_MS = 30_000;

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
    await Promise.all(urls.map(add));
    return urls.length;
  } finally {
    await civic.close();
  }
});
