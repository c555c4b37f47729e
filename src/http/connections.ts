import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readBeforeJudging } from './read-before-judging.ts';
import { answerTo } from './refusals.ts';
import { refusalFor } from './report-refusals.ts';
import { Rejection, type RejectionCode } from '../domain/rejections.ts';
import { isCustomerPath } from './customer-paths.ts';

/** How long the rest of a body that nobody reads may go on arriving after the answer. */
const DRAIN_MS = 5_000;
const LINGER_MS = 1_000;
/** What was accepted right before the close has its request still on the way. */
const ARRIVING_MS = 1_000;

/** What Node tells of it; `rawPacket` is the Buffer that held the first broken byte. */
export interface BrokenRequest extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Which response each connection is at, so that a broken connection is answered once at most. */
export interface Connections {
  opened(socket: Socket): void;
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** The request cannot be answered before its body is here. */
  awaitsBody(request: IncomingMessage): void;
  /** Node could not read what came on this connection, or did not get it in time. */
  broken(error: BrokenRequest, socket: Socket): void;
  /** Nothing has passed on this connection for as long as it may idle, or an answer wait for its reader. */
  silent(socket: Socket): void;
  /** From now on each answer is the last of its connection, and says so. */
  drain(): void;
  /** Ends each connection: at once where nothing is asked, after its answer where something is. What has only begun to arrive gets a moment. */
  close(server: Server): void;
}

/** `onRefused` is told the code of each answer to what was no request; `requestMs` is what a request has from its first byte to its last. */
export const createConnections = (onRefused: (code: RejectionCode) => void, requestMs: number): Connections => {
  const refuse = (error: BrokenRequest, socket: Duplex, target?: string): void => onRefused(refuseBroken(error, socket, target));
  const current = new WeakMap<Duplex, ServerResponse>();
  const awaitingBody = new WeakSet<IncomingMessage>();
  const open = new Set<Socket>();
  let draining = false;
  const end = (error: BrokenRequest, socket: Socket): void => {
    const response = current.get(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (response === undefined || (response.writableFinished && response.req.complete)) refuse(error, socket);
    else if (response.writableFinished) socket.destroy();
    else if (!response.writableEnded && !response.req.complete && awaitingBody.has(response.req)) refuse(error, socket, response.req.url);
    // The answer under way needs nothing more from the connection; it ends with it.
    else response.once('finish', () => socket.end());
  };
  const late = (error: BrokenRequest, socket: Socket): void => {
    const before = current.get(socket);
    const isInBody = before !== undefined && !before.req.complete;
    const arrived = (): boolean => {
      const response = current.get(socket);
      if (isInBody) return before.req.complete;
      if (response === undefined || response === before) return false;
      // Node has judged this request and looks at it no more: its body is waited for here.
      if (!response.req.complete) {
        const timer = setTimeout(() => response.req.complete || late(error, socket), requestMs).unref();
        response.once('close', () => clearTimeout(timer));
      }
      return true;
    };
    readBeforeJudging(socket, arrived, () => {
      // Node counts from the connection on. Who has said nothing has asked for nothing, and may be slow to begin: that is ended as an idle one is.
      if (socket.bytesRead > 0) end(error, socket);
    });
  };
  return {
    opened: (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    },
    begin: (request, response) => {
      const { socket, headers } = request;
      current.set(socket, response);
      // Most requests have no body: those need no listener.
      const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
      if (hasBody) response.once('finish', () => endOfBody(request, socket));
      if (draining) response.shouldKeepAlive = false;
    },
    awaitsBody: (request) => awaitingBody.add(request),
    broken: (error, socket) => (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? late : end)(error, socket),
    silent: (socket) => {
      const read = socket.bytesRead;
      readBeforeJudging(
        socket,
        () => socket.bytesRead > read,
        () => socket.destroy(),
      );
    },
    drain: () => {
      draining = true;
      for (const socket of open) {
        const response = current.get(socket);
        if (response !== undefined) response.shouldKeepAlive = false;
      }
    },
    close: (server) => {
      server.closeIdleConnections();
      const timer = setTimeout(() => {
        for (const socket of open) if (current.get(socket)?.writableFinished ?? true) socket.destroySoon();
      }, ARRIVING_MS).unref();
      server.once('close', () => clearTimeout(timer));
      for (const socket of open) {
        const response = current.get(socket);
        if (response?.writableFinished === false) response.once('finish', () => socket.end());
      }
    },
  };
};

/** An answer does not wait for a body that nobody reads. The body may end in peace, so that the answer is not lost to a reset. */
const endOfBody = (request: IncomingMessage, socket: Socket): void => {
  if (request.complete) return;
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS).unref();
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
  request.resume();
};

/** Statuses stay within the specification's table, which has neither 408 nor 431. */
const rejectionOf = (code: string | undefined): Rejection => {
  if (code === 'HPE_HEADER_OVERFLOW') return new Rejection('request_too_large', 'the request line and headers are over 16 KiB');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Rejection('request_too_large', 'the chunk extensions are too long');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Rejection('invalid_parameter', 'the request did not arrive in time');
  return new Rejection('invalid_parameter', 'the request is not valid HTTP');
};

const refuseBroken = (error: BrokenRequest, socket: Duplex, target?: string): RejectionCode => {
  const path = target ?? /^[A-Z]+ (\S+)/.exec(Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '')?.[1];
  const worded = refusalFor(path ?? '', rejectionOf(error.code));
  const { status, headers, body } = answerTo(worded.rejection, worded.status);
  // What was asked for may be unknown; an answer that might belong to a customer is never stored.
  const noStore = path === undefined || isCustomerPath(path) ? { 'cache-control': 'no-store' } : {};
  const lines = Object.entries({ ...headers, ...noStore, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = `HTTP/1.1 ${status} ${status === 413 ? 'Payload Too Large' : 'Bad Request'}`;
  socket.end([head, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n'));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  return worded.rejection.code;
};

/** `CONNECT` never reaches the router. */
export const refuseConnect = (_request: IncomingMessage, socket: Duplex): void => void refuseBroken(new Error('CONNECT'), socket);
