import { Connection } from './http-client.ts';
import { serveJobs } from './processes.ts';

/** Readers that each replay a feed from the start by following its cursors, `pages` pages each, or to its end. */
export interface ReplayJob {
  readonly kind: 'replay';
  readonly url: string;
  /** Paths of the first pages, one reader after the other; of the next ones with `&cursor=` and the cursor. */
  readonly path: string | readonly string[];
  readonly headers: string;
  readonly readers: number;
  /** Parses every page as a client would; else only the cursor is cut out. */
  readonly parse: boolean;
  readonly pages: number;
}

/** Repeats the same requests, one at a time on each connection. */
export interface RepeatJob {
  readonly kind: 'repeat';
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** If there are several, the requests use them in turn. */
  readonly path: string | readonly string[];
  readonly headers: string;
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly requests: number;
}

/** Readers that each ask once in every interval, spread over it. */
interface PollJob {
  readonly kind: 'poll';
  /** Each reader continues at the cursor of its last page, as a subscriber does. */
  readonly follows?: boolean;
  readonly url: string;
  readonly path: string;
  readonly headers: string;
  readonly readers: number;
  readonly everyMs: number;
  readonly seconds: number;
}

export interface Generated {
  readonly seconds: number;
  readonly requests: number;
  readonly bytes: number;
  readonly items: number;
  /** Milliseconds of each request. */
  readonly times: readonly number[];
}

const TAIL_BYTES = 400;

interface Page {
  readonly data: { readonly items: readonly unknown[] };
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

function nextOf(body: Buffer): { readonly cursor: string; readonly more: boolean } {
  const tail = body.toString('latin1', Math.max(0, body.length - TAIL_BYTES));
  return { cursor: /"nextCursor":"([^"]*)"/.exec(tail)![1]!, more: tail.includes('"hasMore":true') };
}

function expectOk(status: number, body: Buffer): void {
  if (status < 200 || status > 299) throw new Error(`answered ${status}: ${body.toString('utf8', 0, 300)}`);
}

class Tally {
  requests = 0;
  bytes = 0;
  items = 0;
  readonly times: number[] = [];
  readonly #started = performance.now();

  answered(started: number, body: Buffer): void {
    this.requests += 1;
    this.bytes += body.length;
    this.times.push(performance.now() - started);
  }

  done(): Generated {
    const { requests, bytes, items, times } = this;
    return { seconds: (performance.now() - this.#started) / 1000, requests, bytes, items, times };
  }
}

async function replay({ url, path, headers, readers, parse, pages }: ReplayJob): Promise<Generated> {
  const connections = Array.from({ length: readers }, () => new Connection(url));
  const tally = new Tally();
  await Promise.all(
    connections.map(async (connection, reader) => {
      const first = typeof path === 'string' ? path : path[reader % path.length]!;
      let target = first;
      for (let page = 0; page < pages; page++) {
        const started = performance.now();
        const { status, body } = await connection.send('GET', target, headers);
        expectOk(status, body);
        tally.answered(started, body);
        let next: { readonly cursor: string; readonly more: boolean };
        if (parse) {
          const { data, meta } = JSON.parse(body.toString()) as Page;
          tally.items += data.items.length;
          next = { cursor: meta.nextCursor, more: meta.hasMore };
        } else next = nextOf(body);
        if (!next.more) return;
        target = `${first}&cursor=${next.cursor}`;
      }
    }),
  ).finally(() => connections.forEach((connection) => connection.close()));
  return tally.done();
}

async function repeat({
  url,
  method,
  path,
  headers,
  bodies,
  connections: size,
  requests,
}: RepeatJob): Promise<Generated> {
  const connections = Array.from({ length: size }, () => new Connection(url));
  const paths = typeof path === 'string' ? [path] : path;
  const tally = new Tally();
  let requestCount = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (requestCount < requests) {
        const turn = requestCount++;
        const started = performance.now();
        const sending = bodies.length === 0 ? '' : bodies[turn % bodies.length]!;
        const { status, body } = await connection.send(method, paths[turn % paths.length]!, headers, sending);
        expectOk(status, body);
        tally.answered(started, body);
      }
    }),
  ).finally(() => connections.forEach((connection) => connection.close()));
  return tally.done();
}

async function poll({ url, path, headers, readers, everyMs, seconds, follows = false }: PollJob): Promise<Generated> {
  const tally = new Tally();
  const ending = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: readers }, async (_, reader) => {
      const connection = new Connection(url);
      let due = performance.now() + (everyMs * reader) / readers;
      let target = path;
      for (; due < ending; due += everyMs) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
        const started = performance.now();
        const { status, body } = await connection.send('GET', target, headers);
        expectOk(status, body);
        tally.answered(started, body);
        if (follows) target = path.replace(/cursor=.*$/, `cursor=${nextOf(body).cursor}`);
      }
      connection.close();
    }),
  );
  return tally.done();
}

serveJobs(async (job: ReplayJob | RepeatJob | PollJob) => {
  switch (job.kind) {
    case 'replay':
      return replay(job);
    case 'repeat':
      return repeat(job);
    case 'poll':
      return poll(job);
  }
});
