import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { agendaPdf } from './agenda-files.ts';
import { serveJobs } from './processes.ts';

export interface SitesJob {
  /** Number of sites to open; absent to count what they have served so far. */
  readonly open?: number;
  /** Number of sites that publish one more agenda. */
  readonly publish?: number;
}

export interface Sites {
  readonly urls: readonly string[];
  readonly pages: number;
  readonly files: number;
  /** Requests for a file that had not changed. */
  readonly unchanged: number;
  /** Number of agendas that were published after the sites opened, by one site after another. */
  readonly published: number;
}

const MEETINGS_OF_SITE = 4;
const DAYS_APART = 7;
const DAY_MS = 86_400_000;
const PAGES_OF_AGENDA = 2;

const VALIDATOR = '"1"';
const sites: Server[] = [];
const served = { pages: 0, files: 0, unchanged: 0, published: 0 };
/** Number of meetings that each site lists. */
const meetings: number[] = [];

/** The row of a meeting: two before today, today, and one after it. */
function rowOf(index: number): string {
  const day = new Date(Date.now() + (index - 2) * DAYS_APART * DAY_MS);
  const [year, month, date] = day.toISOString().slice(0, 10).split('-');
  const dayText = day.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
  const link = `/AgendaCenter/ViewFile/Agenda/_${month}${date}${year}-${index + 1}`;
  return `<tr class="catAgendaRow"><td><h3><strong aria-label="Agenda for ${dayText}">${dayText}</strong></h3>
    <p><a href="${link}">City Council Regular Meeting</a></p></td></tr>`;
}

const listPage = (
  listed: number,
): string => `<!doctype html><html><body><div id="AgendaCenterContent"><div class="listing" id="cat1">
  <h2>City Council</h2><span id="section1"><table>
  ${Array.from({ length: listed }, (_, index) => rowOf(index)).join('')}</table></span></div></div></body></html>`;

function answerSite(site: number, { url: path = '', headers }: IncomingMessage, response: ServerResponse): void {
  if (path === '/AgendaCenter') {
    served.pages += 1;
    response.setHeader('content-type', 'text/html').end(listPage(meetings[site]!));
  } else if (path.startsWith('/AgendaCenter/ViewFile/')) {
    const isUnchanged = headers['if-none-match'] === VALIDATOR;
    served[isUnchanged ? 'unchanged' : 'files'] += 1;
    response.setHeader('etag', VALIDATOR);
    if (isUnchanged) response.writeHead(304).end();
    else
      response
        .setHeader('content-type', 'application/pdf')
        .end(agendaPdf(PAGES_OF_AGENDA, `department ${site} ${path.at(-1)}`));
  } else response.writeHead(404).end();
}

async function openSite(number: number): Promise<string> {
  const server = createServer((request, response) => answerSite(number, request, response));
  // Each site has its own address, because the service spaces the requests to a host.
  server.listen(0, `127.0.1.${number + 1}`);
  await once(server, 'listening');
  sites.push(server);
  meetings.push(MEETINGS_OF_SITE);
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
}

/** Serves simulated AgendaCenters. */
serveJobs(async ({ open = 0, publish = 0 }: SitesJob): Promise<Sites> => {
  const urls = await Promise.all(Array.from({ length: open }, (_, index) => openSite(index)));
  for (; publish > 0; publish -= 1) meetings[served.published++ % meetings.length]! += 1;
  return { urls, ...served };
});
