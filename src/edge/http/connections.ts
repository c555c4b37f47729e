import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Rejection } from '../../../domain/rejections.ts';
import { clientAddress, groupAddress, type IsTrustedProxy } from '../admission/client-address.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { brokenRequestAnswer, type DocsOf } from './errors.ts';
import { createServer } from './node-http.ts';

/** Milliseconds that a client has to read the refusal of an invalid request. */
const LINGER_MS = 1_000;
/** Milliseconds to wait for the first request of a connection that was accepted right before the close. */
const ARRIVING_MS = 1_000;

export interface ConnectionsParts {
  /** Milliseconds. */
  readonly timeouts: {
    /** Time from the first byte of a request to the end of its headers. */
    readonly headers: number;
    /** Time from the first byte of a request to its last. */
    readonly request: number;
    /** Idle time between two requests on one connection, as announced in `Keep-Alive`. */
    readonly keepAlive: number;
    /**
     * An idle connection is closed this much later than announced: a request that was sent in time might still arrive.
     */
    readonly keepAliveMargin: number;
    /** Time for running requests to finish after a close. */
    readonly close: number;
  };
  readonly limits: {
    readonly total: number;
    /** Leading bits of an IPv6 address that identify a client. */
    readonly ipv6Prefix: number;
    /** Maximum open connections per client, unless it is a trusted proxy. */
    readonly perClient: number;
    /** Maximum pipelined requests of one connection that wait for earlier answers. */
    readonly pipelined: number;
  };
  readonly isTrustedProxy: IsTrustedProxy;
  readonly metrics: Pick<HttpMetrics, 'refused' | 'connectionRefused'>;
}

/** `rawPacket` is the Buffer with the first invalid byte. */
type BrokenRequest = Error & { readonly code?: string; readonly rawPacket?: unknown };

interface Connection {
  readonly unanswered: Set<ServerResponse>;
  latest?: IncomingMessage;
}

/**
 * Creates the HTTP server and limits how much of it one client can use. All timeouts are options of Node. States of a
 * connection:
 *
 * - idle: it has no unanswered request. Node closes it after `keepAlive`, or after `request` if it never sent one.
 * - answering: it has unanswered requests, which Node answers in order. One over the limit destroys it.
 * - ending: its last complete request is answered, then it closes. Invalid bytes, CONNECT and the close of the server
 *   lead here.
 * - refused: an invalid request is answered in the envelope, and the connection is destroyed.
 */
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
      // Node would answer a missing header without the envelope, so the listener checks it.
      requireHostHeader: false,
      // A repeated `Host` or `Authorization` is joined instead of dropped, so that it can be refused.
      joinDuplicateHeaders: true,
    };
    const server = createServer(options, (request, response) => this.#answer(handle, request, response));
    server.maxConnections = limits.total;
    server.setTimeout(2 * timeouts.request);
    server.on('drop', () => metrics.connectionRefused('total'));
    server.on('connection', (socket) => this.#opened(socket));
    server.on('connect', (_request, socket: Socket) => {
      socket.resume();
      this.broken(new Error('CONNECT'), socket);
    });
    // Node would answer an unknown expectation without the envelope, and would invite a body before the key is checked.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    return server;
  }

  /** Ends a connection after invalid bytes or a timeout. */
  broken(error: BrokenRequest, socket: Socket): void {
    const { unanswered = new Set<ServerResponse>(), latest } = this.#open.get(socket) ?? {};
    // Node's timeout starts at the connection: a client that has sent nothing yet is only idle.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return;
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const isInBody = latest?.complete === false;
    const [first] = unanswered;
    // Once an answer has begun, the client would read more bytes as part of it.
    const isAnswering = isInBody ? first?.headersSent !== false : first !== undefined;
    if (unanswered.size <= 1 && !isAnswering) this.#refuse(error, socket, isInBody ? latest.url : undefined);
    else
      this.#endAfter(
        [...unanswered].filter(({ req }) => req.complete),
        socket,
      );
  }

  /** Sends `Connection: close` with each answer from now on. */
  drain(): void {
    this.#draining = true;
    for (const { unanswered } of this.#open.values())
      for (const response of unanswered) response.shouldKeepAlive = false;
  }

  /** Ends idle connections at once and others after their answers. Requests that are arriving get a moment. */
  close(server: Server): void {
    server.closeIdleConnections();
    for (const [socket, { unanswered }] of this.#open) if (unanswered.size > 0) this.#endAfter(unanswered, socket);
    setTimeout(() => {
      for (const [socket, { unanswered }] of this.#open) if (unanswered.size === 0) socket.destroySoon();
    }, ARRIVING_MS).unref();
  }

  #opened(socket: Socket): void {
    // After a CONNECT, Node removes its own error listener, and an unhandled error would end the process.
    socket.on('error', () => socket.destroy());
    this.#open.set(socket, { unanswered: new Set() });
    socket.once('close', () => this.#open.delete(socket));
    const { remoteAddress: client } = socket;
    if (client === undefined || this.#parts.isTrustedProxy(client)) return;
    const group = groupAddress(clientAddress(client, undefined), this.#parts.limits.ipv6Prefix);
    const count = this.#count(group, 1);
    socket.once('close', () => this.#count(group, -1));
    if (count > this.#parts.limits.perClient) this.#destroy(socket, 'client');
  }

  #count(client: string, change: 1 | -1): number {
    const count = (this.#perClient.get(client) ?? 0) + change;
    if (count === 0) this.#perClient.delete(client);
    else this.#perClient.set(client, count);
    return count;
  }

  #destroy(socket: Socket, limit: 'client' | 'pipelined'): void {
    this.#parts.metrics.connectionRefused(limit);
    socket.destroy();
  }

  #answer(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    // Node still parses the rest of a packet after the connection was destroyed.
    if (connection === undefined || !socket.writable) return;
    const { unanswered } = connection;
    connection.latest = request;
    if (unanswered.size > this.#parts.limits.pipelined) return this.#destroy(socket, 'pipelined');
    unanswered.add(response);
    response.on('close', () => unanswered.delete(response));
    // Node drops the bytes after an upgrade request in the same packet, so the rest of the connection could be misread.
    if (this.#draining || request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    handle(request, response);
  }

  #endAfter(responses: Iterable<ServerResponse>, socket: Socket): void {
    const waiting = new Set(responses);
    if (waiting.size === 0) return void socket.destroy();
    // A client that does not read its answers loses the connection after this time.
    const timer = setTimeout(() => socket.destroy(), this.#parts.timeouts.request).unref();
    socket.once('close', () => clearTimeout(timer));
    for (const response of waiting) {
      response.on('close', () => {
        waiting.delete(response);
        if (waiting.size === 0) socket.destroySoon();
      });
    }
  }

  /** `requested` is the target of the request whose body was broken. The code depends on it. */
  #refuse(error: BrokenRequest, socket: Socket, requested: string | undefined): void {
    const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '';
    const target = requested ?? /^[A-Z]+ (\S+)/.exec(packet)?.[1];
    const { code, text } = brokenRequestAnswer(toBrokenRejection(error.code), target, this.#parts.docsOf);
    this.#parts.metrics.refused(code);
    socket.end(text);
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

/** Returns the rejection for a broken request. `STATUSES` has neither 408 nor 431. */
function toBrokenRejection(code: string | undefined): Rejection {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Rejection('request_too_large', 'the request line and headers are over 16 KiB');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Rejection('request_too_large', 'the chunk extensions are too long');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Rejection('invalid_parameter', 'the request did not arrive in time');
  return new Rejection('invalid_parameter', 'the request is not valid HTTP');
}
