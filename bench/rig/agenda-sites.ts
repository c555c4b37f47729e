import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { agendaPdf } from './agenda-files.ts';
import { serveJobs } from './processes.ts';

export interface SitesJob {
  /** Number of sites to open; absent to count what they have served so far. */
  readonly open?: number;
}

export interface Sites {
  readonly urls: readonly string[];
  readonly pages: number;
  readonly files: number;
}

const MEETINGS_OF_SITE = 4;
const DAYS_APART = 7;
const DAY_MS = 86_400_000;
const PAGES_OF_AGENDA = 2;

const file = agendaPdf(PAGES_OF_AGENDA);
const sites: Server[] = [];
const served = { pages: 0, files: 0 };

/** The row of a meeting: two before today, today, and one after it. */
function rowOf(index: number): string {
  const day = new Date(Date.now() + (index - 2) * DAYS_APART * DAY_MS);
  const [year, month, date] = day.toISOString().slice(0, 10).split('-');
  const dayText = day.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
  const link = `/AgendaCenter/ViewFile/Agenda/_${month}${date}${year}-${index + 1}`;
  return `<tr class="catAgendaRow"><td><h3><strong aria-label="Agenda for ${dayText}">${dayText}</strong></h3>
    <p><a href="${link}">City Council Regular Meeting</a></p></td></tr>`;
}

const listPage = (): string => `<!doctype html><html><body><div id="AgendaCenterContent"><div class="listing" id="cat1">
  <h2>City Council</h2><span id="section1"><table>
  ${Array.from({ length: MEETINGS_OF_SITE }, (_, index) => rowOf(index)).join('')}</table></span></div></div></body></html>`;

function answer(path: string, response: ServerResponse): void {
  if (path === '/AgendaCenter') {
    served.pages += 1;
    response.setHeader('content-type', 'text/html').end(listPage());
  } else if (path.startsWith('/AgendaCenter/ViewFile/')) {
    served.files += 1;
    response.setHeader('content-type', 'application/pdf').end(file);
  } else response.writeHead(404).end();
}

async function openSite(number: number): Promise<string> {
  const server = createServer((request, response) => answer(request.url ?? '', response));
  // Each site has an address of its own, because the service spaces the requests to a host.
  server.listen(0, `127.0.1.${number + 1}`);
  await once(server, 'listening');
  sites.push(server);
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
}

/** Serves simulated AgendaCenters. */
serveJobs(async ({ open = 0 }: SitesJob): Promise<Sites> => {
  const urls = await Promise.all(Array.from({ length: open }, (_, index) => openSite(index)));
  return { urls, ...served };
});
