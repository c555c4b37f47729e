import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from './node-http.ts';
import type { Socket } from 'node:net';
import { Rejection } from '../../../domain/rejections.ts';
import type { IsTrustedProxy } from '../admission/client-address.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { brokenRequestAnswer, type DocsOf } from './errors.ts';

/** Bytes of bodies of waiting requests on one connection. */
const MAX_WAITING_BYTES = 65_536;
/** Milliseconds for the rest of an unread body to arrive after the answer. */
const DRAIN_MS = 5_000;
/** Milliseconds for a client to read the refusal of an invalid request. */
const LINGER_MS = 1_000;
/** A connection that was accepted right before the close has its request still on the way. */
const ARRIVING_MS = 1_000;
/** Milliseconds for which arriving data is read before a client is judged late. */
const READING_MS = 1_000;

export interface ConnectionsParts {
  /** Milliseconds. */
  readonly timeouts: {
    /** From a request's first byte to the end of its headers. */
    readonly headers: number;
    /** From a request's first byte to its last. */
    readonly request: number;
    /** Between two requests on one connection, as announced in `Keep-Alive`. */
    readonly keepAlive: number;
    /** A connection ends this much later than announced: a request that was sent in time may still be on its way. */
    readonly keepAliveMargin: number;
    /** For running requests to finish at a close. */
    readonly close: number;
  };
  readonly limits: {
    readonly total: number;
    /** Open connections of one address that is no trusted proxy. */
    readonly perClient: number;
    /** Requests of one connection that wait for the answer before theirs. */
    readonly pipelined: number;
  };
  readonly isTrustedProxy: IsTrustedProxy;
  readonly metrics: Pick<HttpMetrics, 'refused' | 'connectionRefused'>;
}

/** `rawPacket` is the Buffer with the first invalid byte. */
type BrokenRequest = Error & { readonly code?: string; readonly rawPacket?: unknown };

interface Connection {
  latest?: IncomingMessage;
  /** To the latest request, until it ends: what belongs to it, such as a page of megabytes, is not kept by an idle connection. */
  answer: ServerResponse | null;
  /** The connection ends after the pending answers. */
  ending: boolean;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
}

export class Connections {
  readonly #parts: ConnectionsParts & { readonly docsOf: DocsOf | null };
  readonly #open = new Map<Socket, Connection>();
  readonly #perClient = new Map<string, number>();
  #draining = false;
  constructor(parts: ConnectionsParts & { readonly docsOf: DocsOf | null }) {
    this.#parts = parts;
  }

  createServer(handle: RequestListener): Server {
    const { timeouts, limits, metrics } = this.#parts;
    const options = {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      keepAliveTimeoutBuffer: timeouts.keepAliveMargin,
      connectionsCheckingInterval: Math.min(1_000, timeouts.headers / 2),
      // Node would answer without the envelope: the listener looks for the header.
      requireHostHeader: false,
      // A second `Host` or `Authorization` shows in the value instead of being dropped.
      joinDuplicateHeaders: true,
    };
    const server = createServer(options, (request, response) => this.#inOrder(handle, request, response));
    server.maxConnections = limits.total;
    server.setTimeout(2 * timeouts.request);
    server.on('drop', () => metrics.connectionRefused('total'));
    server.on('connection', (socket) => this.#opened(socket));
    server.on('timeout', (socket: Socket) => this.#silent(socket));
    server.on('connect', (_request, socket: Socket) => this.#refuseTunnel(socket));
    // Node would answer an unknown expectation without the envelope, and invite a body before it is known who sends it.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    return server;
  }

  /** Node could not read what came on this connection, or did not get it in time. */
  broken(error: BrokenRequest, socket: Socket): void {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') this.#late(error, socket);
    else this.#end(error, socket);
  }

  /** Sends `Connection: close` with each answer from now on. */
  drain(): void {
    this.#draining = true;
    for (const { answer } of this.#open.values()) if (answer !== null) answer.shouldKeepAlive = false;
  }

  /** Ends idle connections at once, others after their answer. Requests that are arriving get a moment. */
  close(server: Server): void {
    server.closeIdleConnections();
    setTimeout(() => {
      for (const [socket, { answer }] of this.#open) if (answer === null) socket.destroySoon();
    }, ARRIVING_MS).unref();
    for (const connection of this.#open.values()) connection.ending = true;
  }

  #opened(socket: Socket): void {
    // Node takes its own listener away where it hands a socket over (CONNECT, Upgrade): an error without one would end the process.
    socket.on('error', () => socket.destroy());
    this.#open.set(socket, { answer: null, ending: false, waiting: [] });
    const { remoteAddress: client } = socket;
    const isCounted = client !== undefined && !this.#parts.isTrustedProxy(client);
    const count = isCounted ? this.#count(client, 1) : 0;
    socket.once('close', () => {
      this.#open.delete(socket);
      if (isCounted) this.#count(client, -1);
    });
    if (count <= this.#parts.limits.perClient) return;
    this.#parts.metrics.connectionRefused('client');
    socket.destroy();
  }

  #count(client: string, change: 1 | -1): number {
    const count = (this.#perClient.get(client) ?? 0) + change;
    if (count === 0) this.#perClient.delete(client);
    else this.#perClient.set(client, count);
    return count;
  }

  /** Keeps one unread answer at most. Node hands over all requests of a packet at once: too many of them end the connection. */
  #inOrder(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined || !request.socket.writable) return;
    if (connection.answer === null) return this.#handle(handle, connection, request, response);
    const held = connection.waiting.reduce((sum, [{ readableLength }]) => sum + readableLength, 0);
    if (connection.waiting.length < this.#parts.limits.pipelined && held < MAX_WAITING_BYTES)
      return void connection.waiting.push([request, response]);
    this.#parts.metrics.connectionRefused('pipelined');
    stopReading(request.socket);
    request.socket.destroy();
  }

  #handle(handle: RequestListener, connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    connection.answer = response;
    connection.latest = request;
    // Node loses what follows an offered upgrade in the same packet: the rest of the connection could be misread.
    if (this.#draining || request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    // It closes once; `once` would make two objects more.
    response.on('close', () => {
      connection.answer = null;
      if (!socket.writable) return;
      if (!request.complete) drainBody(request, socket);
      const next = connection.waiting.shift();
      if (next !== undefined) this.#handle(handle, connection, ...next);
      else if (connection.ending) socket.destroySoon();
    });
    handle(request, response);
  }

  #end(error: BrokenRequest, socket: Socket): void {
    const connection = this.#open.get(socket);
    const request = connection?.latest;
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    // The body is invalid or late: Fastify answers while it reads the body.
    else if (connection?.answer && !request!.complete) failBody(request!, rejectionOfBroken(error.code));
    else if (connection?.answer) {
      connection.ending = true;
      // Further data would keep a connection open whose client does not read.
      socket.pause();
      const last = connection.waiting.at(-1)?.[0];
      if (last?.complete === false) failBody(last, rejectionOfBroken(error.code));
    }
    // The request was answered before its body ended.
    else if (request?.complete === false) socket.destroy();
    else this.#refuse(error, socket);
  }

  #late(error: BrokenRequest, socket: Socket): void {
    const connection = this.#open.get(socket);
    const before = connection?.latest;
    const isInBody = before?.complete === false;
    const arrived = (): boolean => {
      const latest = connection?.latest;
      if (isInBody) return before.complete;
      if (latest === undefined || latest === before) return false;
      // Node does not check this request again: its body is awaited here.
      if (!latest.complete) {
        const timer = setTimeout(() => latest.complete || this.#late(error, socket), this.#parts.timeouts.request).unref();
        latest.once('close', () => clearTimeout(timer));
      }
      return true;
    };
    readBeforeJudging(socket, arrived, () => {
      // Node counts from the connection on. A client that has sent nothing may be slow to begin: it is ended as an idle one is.
      if (socket.bytesRead > 0) this.#end(error, socket);
    });
  }

  #silent(socket: Socket): void {
    const read = socket.bytesRead;
    readBeforeJudging(
      socket,
      () => socket.bytesRead > read,
      () => socket.destroy(),
    );
  }

  #refuseTunnel(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection?.answer) return this.#refuse(new Error('CONNECT'), socket);
    // Requests before it have their answers first, and a further answer would be taken for one of theirs.
    socket.resume();
    connection.ending = true;
  }

  #refuse(error: BrokenRequest, socket: Socket): void {
    const target = /^[A-Z]+ (\S+)/.exec(Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '')?.[1];
    const { code, text } = brokenRequestAnswer(rejectionOfBroken(error.code), target, this.#parts.docsOf);
    this.#parts.metrics.refused(code);
    socket.end(text);
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

/** Node parses the rest of a packet also for a destroyed socket, a hundred requests a millisecond: 2 ends that, as it does for an upgrade. */
function stopReading(socket: Socket): void {
  const { parser } = socket as { readonly parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
}

/** Fails the reading of a body, now or once it begins. */
function failBody(request: IncomingMessage, rejection: Rejection): void {
  const fail = (): void => {
    if (request.listenerCount('error') > 0) request.emit('error', rejection);
  };
  if (request.listenerCount('data') > 0) fail();
  else request.on('newListener', (event) => event === 'error' && setImmediate(fail));
}

/** Lets the rest of an unneeded body arrive for a while, so that a reset does not overtake the answer. */
function drainBody(request: IncomingMessage, socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS).unref();
  request.once('end', () => clearTimeout(timer));
  request.resume();
}

/** Statuses stay within `STATUSES`, which has neither 408 nor 431. */
function rejectionOfBroken(code: string | undefined): Rejection {
  if (code === 'HPE_HEADER_OVERFLOW') return new Rejection('request_too_large', 'the request line and headers are over 16 KiB');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Rejection('request_too_large', 'the chunk extensions are too long');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Rejection('invalid_parameter', 'the request did not arrive in time');
  return new Rejection('invalid_parameter', 'the request is not valid HTTP');
}

/** Timers run before sockets are read: in a starved process they fire for clients whose bytes wait in the kernel. Reads, then judges. */
function readBeforeJudging(socket: Socket, arrived: () => boolean, judge: () => void): void {
  let timeIsOver = false;
  setTimeout(() => (timeIsOver = true), READING_MS).unref();
  let read = socket.bytesRead;
  const look = (): void => {
    const isMore = socket.bytesRead > read;
    read = socket.bytesRead;
    if (arrived() || socket.destroyed) return;
    if (isMore && !timeIsOver) setImmediate(look);
    else judge();
  };
  setImmediate(look);
}
