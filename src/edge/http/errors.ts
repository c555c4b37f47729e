import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { STATUS_CODES } from './node-http.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { type ErrorEnvelope, STATUSES, WRONG_METHOD_STATUS } from '../../../contract/error-codes.ts';
import { prefersHtml } from '../answers/representation.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import type { ShownError } from '../pages/error-page.ts';
import { ERROR_PAGE_HEADERS } from '../pages/page-headers.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../../domain/ports/database.ts';
import { LogUnavailable, OutcomeUnknown } from '../../../domain/ports/event-log.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection, type RejectionCode } from '../../../domain/rejections.ts';

const REPORT_PREFIX = '/api/v1/data-reports';
/** Paths below which every answer is `Cache-Control: no-store`, including those of the router. */
const CUSTOMER_PREFIXES = ['/api/v1/data', REPORT_PREFIX, '/api/v1/mcp', '/api/mcp'];

/** Rejection codes that have another name in the report operations. */
const IN_REPORTS: Partial<Readonly<Record<RejectionCode, RejectionCode>>> = {
  invalid_parameter: 'invalid_input',
  request_too_large: 'invalid_input',
  feed_unavailable: 'authentication_unavailable',
  timeout: 'authentication_unavailable',
};

/** Fastify errors that are client mistakes. */
const FRAMEWORK_REJECTIONS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'the path is not valid percent-encoded UTF-8',
  FST_ERR_CTP_INVALID_MEDIA_TYPE:
    'the request body must be sent as Content-Type: application/json, in UTF-8, without a Content-Encoding',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the request body is not as long as its Content-Length',
};

export class WrongMethod extends Rejection {
  readonly allowed: string;
  constructor(allowed: string) {
    super('invalid_parameter', `this path allows ${allowed}`);
    this.allowed = allowed;
  }
}

/** Returns the address of the page about an error code. */
export type DocsOf = (code: RejectionCode) => string;

interface ErrorHandlerParts {
  /** Null if no page about errors is served. */
  readonly docsOf: DocsOf | null;
  readonly logger: Logger;
  readonly metrics: Pick<HttpMetrics, 'refused'>;
  /** Makes the HTML page for an error outside the interface; null if no pages are served. */
  readonly errorPage: ((error: ShownError) => Promise<string>) | null;
}

/** Paths of the interface: every error below them is in the envelope. */
const INTERFACE_PREFIXES = ['/api'];

/**
 * Number of characters of a target to decode. No prefix with its slash is longer, even if each character is
 * percent-encoded.
 */
const MAX_PREFIX_LENGTH = 200;

/** Answers every error in the envelope, or as a page for a browser, and logs failures of the service. */
export function errorHandler({ docsOf, logger, metrics, errorPage }: ErrorHandlerParts) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const rejection = toRejection(error, request);
    if (rejection !== error && STATUSES[rejection.code] >= 500) {
      const level = rejection.code === 'internal_error' ? 'error' : 'warn';
      logger[level](
        { requestId: request.id, operation: request.operationId, code: rejection.code, err: error },
        'the request failed',
      );
    }
    const thrown = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined;
    const { code, status, headers, body } = buildAnswer(rejection, request.raw.url, {
      docsOf,
      operationId: request.operationId,
      thrown,
    });
    metrics.refused(code);
    if (request.raw.complete || status === STATUSES.request_too_large) {
      // Fastify would close the connection, and a client that still sends its body would lose the answer to a reset.
      if (reply.hasHeader('connection')) reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
      request.raw.resume();
    }
    void reply.code(status).headers(headers);
    const { url = '', headers: requestHeaders } = request.raw;
    if (status === STATUSES.request_too_large && !request.raw.complete && !reply.raw.shouldKeepAlive)
      return void sendAfterBody(request.raw, reply, body);
    if (errorPage === null || isBelow(url, INTERFACE_PREFIXES) || !prefersHtml(requestHeaders.accept))
      return void reply.send(body);
    void sendPage(errorPage({ status, code, message: rejection.message, requestId: request.id }), reply, body);
  };
}

/** Milliseconds for the rest of a refused body on a connection that closes after the answer. */
const DRAIN_MS = 2_000;

/** Discards the body before the answer: a connection that closes earlier is reset, and its answer is lost. */
async function sendAfterBody(request: IncomingMessage, reply: FastifyReply, answer: string): Promise<void> {
  await finished(request.resume(), { signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => undefined);
  await reply.send(answer);
}

/** Sends the page, or the envelope if the page cannot be made. */
async function sendPage(page: Promise<string>, reply: FastifyReply, envelope: string): Promise<void> {
  const text = await page.catch(() => null);
  await (text === null ? reply.send(envelope) : reply.headers(ERROR_PAGE_HEADERS).send(text));
}

/** Answers a broken request. `target` is undefined if it could not be parsed. */
export function brokenRequestAnswer(rejection: Rejection, target: string | undefined, docsOf: DocsOf | null) {
  const { code, status, headers, body } = buildAnswer(rejection, target, { docsOf });
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  return { code, text: [head, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n') };
}

interface AnsweredAt {
  /** Null if no page about errors is served. */
  readonly docsOf: DocsOf | null;
  readonly operationId?: string;
  /** The status that the framework assigned to the error, if any. */
  readonly thrown?: number | undefined;
}

const REFUSALS = new Map<string, Pick<Operation, 'refusals' | 'refusalsAt'>>(Object.entries(OPERATIONS));

/** Returns status, headers and the envelope as JSON text. */
function buildAnswer(rejection: Rejection, target: string | undefined, at: AnsweredAt) {
  const { message, details, retryAfterSeconds } = rejection;
  const isWrongMethod = rejection instanceof WrongMethod;
  const inReports = isBelow(target ?? '', [REPORT_PREFIX]) && !isWrongMethod ? IN_REPORTS[rejection.code] : undefined;
  // One operation has its own status for some codes: 413 `invalid_input`, 415 `invalid_parameter`.
  const { refusals = [], refusalsAt = {} } = REFUSALS.get(at.operationId ?? '') ?? {};
  const code = inReports ?? (hidesStore(rejection, refusals) ? 'authentication_unavailable' : rejection.code);
  const ownStatus = [at.thrown, STATUSES[rejection.code]].find(
    (each) => each !== undefined && refusalsAt[each]?.includes(code),
  );
  const status = isWrongMethod ? WRONG_METHOD_STATUS : (ownStatus ?? STATUSES[code]);
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (isWrongMethod) headers['allow'] = rejection.allowed;
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 429) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1)));
  // If the target is unknown, the answer might belong to a customer.
  if (target === undefined || isBelow(target, CUSTOMER_PREFIXES)) headers['cache-control'] = 'no-store';
  const fullDetails = at.docsOf === null ? details : { ...details, docs: at.docsOf(code) };
  const envelope: ErrorEnvelope = { error: { code, message, ...(fullDetails && { details: fullDetails }) } };
  return { code, status, headers, body: JSON.stringify(envelope) };
}

/** Some operations have one code for every failure of the service's stores. */
function hidesStore({ code }: Rejection, refusals: readonly RejectionCode[]): boolean {
  return code === 'feed_unavailable' && !refusals.includes(code) && refusals.includes('authentication_unavailable');
}

/** Returns the rejection for an error. A defect becomes `internal_error`, and its text is not published. */
function toRejection(error: unknown, request: FastifyRequest): Rejection {
  if (error instanceof Rejection) return error;
  if (error instanceof DeadlineExceeded) return new Rejection('timeout', 'the answer was not ready in time');
  if (error instanceof DatabaseUnavailable || error instanceof LogUnavailable || error instanceof OutcomeUnknown) {
    return new Rejection('feed_unavailable', 'the feed cannot be read or written now; try again later');
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Rejection('request_too_large', `the request body is over ${request.routeOptions.bodyLimit} bytes`);
  }
  const isCutOff = request.raw.destroyed && !request.raw.complete;
  const mistake = FRAMEWORK_REJECTIONS[code] ?? (isCutOff ? 'the request body ended early' : undefined);
  if (mistake !== undefined) return new Rejection('invalid_parameter', mistake);
  return new Rejection('internal_error', 'the request could not be answered');
}

/**
 * Returns true if a raw request target is below a prefix. The target includes its query and might be malformed. Only
 * its beginning is decoded, because decoding a long one takes milliseconds.
 */
function isBelow(target: string, prefixes: readonly string[]): boolean {
  const raw = target.slice(0, MAX_PREFIX_LENGTH).split(/[?#]/, 1)[0]!;
  const path = raw.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
