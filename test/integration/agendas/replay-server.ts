import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';

type Row = Record<string, unknown>;

/** The published data of a client of the source; a test changes it. */
export interface Recording {
  bodies: unknown[];
  events: Row[];
  readonly items: Map<number, unknown[]>;
  /** Votes by member, by the id of the row of an agenda; a row without an entry is not found. */
  readonly votes: Map<number, unknown[]>;
}

const CIVICWEB_MEETING = {
  Id: 1,
  TypeId: 10,
  Name: 'Court - May 19 2026',
  MeetingDate: '2026-05-19',
  MeetingTime: '09:00 AM',
};

const TECHSHARE_MEETING = { id: 'a', meetingType: 'Court', meetingStartDateTime: '2026-05-19T09:00:00' };
const OPENCITIES_ENTRY = {
  CalendarId: 'c',
  Id: 'e',
  MainContentId: 'e',
  Name: 'Zoning Commission',
  DateTime: '19/05/2026 9:00:00 AM',
};
const CIVICCLERK_EVENT = { id: 1, eventName: 'Board', startDateTime: '2026-05-19T09:00:00Z', categoryId: 26 };

const AGENDA_CENTER = `<div class="listing"><h2>Council</h2><span id="section1"><table><tr class="catAgendaRow">
  <td><h3><strong>May 19, 2026</strong></h3><p><a href="/AgendaCenter/ViewFile/Agenda/_05192026-1">Council</a></p></td>
  </tr></table></span></div>`;

const ARCHIVE = `<select><option value="53">Council Agendas</option></select>
  <a href="Archive.aspx?ADID=1">May 19, 2026</a>`;
const VIEW = '<table id="video-table"><tr><td><a href="/videos/1">Council</a></td><td>May 19, 2026</td></tr></table>';

const sendPage = (response: ServerResponse, page: string) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end(page);

/** A fault that replaces the answer to a request. */
export type Fault = (response: ServerResponse) => void;

export const FIXTURES = new URL('../../fixtures/legistar/', import.meta.url);

export async function readRecording(client: string): Promise<Recording> {
  const read = async (name: string) =>
    JSON.parse(await readFile(new URL(`${client}/${name}`, FIXTURES), 'utf8')) as Row[];
  const events = await read('events.json');
  const items = new Map<number, unknown[]>();
  for (const event of events) items.set(Number(event.EventId), await read(`eventitems/${String(event.EventId)}.json`));
  return { bodies: await read('bodies.json'), events, items, votes: new Map() };
}

/** The source on loopback: pages, a filter by date, and the faults that a test sets. */
export async function startReplayServer(client: string, recording: Recording) {
  const faults: Fault[] = [];
  const faultsByPath = new Map<string, Fault>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://source');
    requests.push(`${url.pathname}${url.search}`);
    const fault = faultsByPath.get(url.pathname) ?? faults.shift();
    if (fault !== undefined) return fault(response);
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const page = (rows: readonly unknown[]) => {
      const skip = Number(url.searchParams.get('$skip') ?? 0);
      return send(200, rows.slice(skip, skip + Math.min(1000, Number(url.searchParams.get('$top') ?? 1000))));
    };
    const [, version, name, resource, id, child] = url.pathname.replace('MeetingsService.svc/', '').split('/');
    if (url.pathname.endsWith('/Archive.aspx')) return sendPage(response, ARCHIVE);
    if (url.pathname.endsWith('/views/default')) return sendPage(response, VIEW);
    if (/\/videos\/1$/.test(url.pathname)) return sendPage(response, '<p>Council</p>');
    // An AgendaCenter with one meeting.
    if (url.pathname.endsWith('/AgendaCenter')) return sendPage(response, AGENDA_CENTER);
    if (version !== 'v1') return send(404, { Message: 'No HTTP resource was found' });
    // A CivicWeb portal with one meeting and no documents.
    if (name === 'Services') return send(200, id === undefined ? [CIVICWEB_MEETING] : []);
    // The same of other platforms.
    if (name === 'api') return send(200, { data: id === 'readArchived' ? [TECHSHARE_MEETING] : [] });
    if (name === 'ocapi')
      return send(200, { success: true, data: resource === 'get' ? {} : [{ Items: [OPENCITIES_ENTRY] }] });
    if (name === 'Events') return send(200, { value: [CIVICCLERK_EVENT] });
    if (name !== client) {
      return send(500, {
        Message: 'An error has occurred.',
        ExceptionMessage: `LegistarConnectionString setting is not set up in InSite for client: ${name}`,
      });
    }
    if (resource === 'bodies') return page(recording.bodies);
    if (resource === 'events' && id === undefined) {
      const from = /EventDate ge datetime'(.*)'/.exec(url.searchParams.get('$filter') ?? '')?.[1] ?? '';
      return page(recording.events.filter((event) => String(event.EventDate) >= from));
    }
    if (resource === 'eventitems' && child === 'votes') {
      const votes = recording.votes.get(Number(id));
      return votes === undefined ? send(404, { Message: 'Not found' }) : send(200, votes);
    }
    const items = recording.items.get(Number(id));
    if (child === 'eventitems' && items !== undefined) return page(items);
    const event = recording.events.find((row) => row.EventId === Number(id));
    return event === undefined || child !== undefined ? send(404, { Message: 'Not found' }) : send(200, event);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Each applies to one request, in order. */
    faults,
    /** Apply until they are removed. */
    faultsByPath,
    requests,
    /** Closes connections that wait for another request: a test that waits until nothing is open would wait for their timeout. */
    closeIdle: () => server.closeIdleConnections(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const status =
  (code: number, headers: Record<string, string> = {}, body = 'An error has occurred.'): Fault =>
  (response) =>
    response.writeHead(code, headers).end(body);

/** An answer that ends within a row. */
export const cutBody: Fault = (response) => {
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .write('[{"EventId": 1, "Ev', () => response.destroy());
};

/** A complete answer that is not JSON. */
export const halfJson: Fault = (response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('[{"EventId": 1, "Ev');

/** Never answers. */
export const hang: Fault = () => undefined;
