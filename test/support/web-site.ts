import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { onTestFinished } from 'vitest';
import type { OutgoingProxies } from '../../plumbing/outgoing-proxy.ts';
import { createWebFetch } from '../../infra/web/web-fetch.ts';
import { createWebReader, openWebAccess, type WebReaderOptions } from '../../infra/web/web-reader.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Starts a local site until the test ends. Paths without an answer are 404, so that its robots.txt permits everything. */
export async function startSite(answers: Readonly<Record<string, Answer>>) {
  const requested: string[] = [];
  const listener: RequestListener = (request, response) => {
    const path = request.url!.split('?', 1)[0]!;
    requested.push(request.url!);
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    /** Requested addresses, without those of robots.txt. */
    requests: () => requested.filter((path) => path !== '/robots.txt'),
    all: requested,
  };
}

export const page =
  (html: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
export const redirect =
  (location: string, status = 302): Answer =>
  (_, response) =>
    response.writeHead(status, { location }).end();
export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer =>
  (_, response) =>
    response.writeHead(code, headers).end(body);

/** A clock that moves only by its sleeps. */
export function sleepingClock() {
  let time = Date.parse('2026-03-01T12:00:00Z');
  const sleeps: number[] = [];
  return {
    sleeps,
    move: (milliseconds: number) => void (time += milliseconds),
    now: () => time,
    sleep: async (milliseconds: number) => {
      sleeps.push(milliseconds);
      time += milliseconds;
    },
  };
}

interface Web {
  readonly clock?: ReturnType<typeof sleepingClock>;
  readonly lookup?: LookupFunction;
  readonly proxies?: OutgoingProxies | null;
  readonly contact?: string;
}

/** Opens what the sources of a process share. The readers of it pause by a clock that does not wait. */
export function openWeb({ clock = sleepingClock(), lookup, proxies = null, contact }: Web = {}) {
  const fetch = createWebFetch(proxies, lookup);
  const access = openWebAccess({ fetch, clock, random: () => 1, pauseMs: 1_000, contact });
  return (options: WebReaderOptions = {}) => createWebReader(access, options);
}
