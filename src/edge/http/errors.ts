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
/** Paths whose every answer is `Cache-Control: no-store`, the router's own included. */
const CUSTOMER_PREFIXES = ['/api/v1/data', REPORT_PREFIX, '/api/v1/mcp', '/api/mcp'];

/** Codes of rejections that have another code elsewhere. */
const IN_REPORTS: Partial<Readonly<Record<RejectionCode, RejectionCode>>> = {
  invalid_parameter: 'invalid_input',
  request_too_large: 'invalid_input',
  feed_unavailable: 'authentication_unavailable',
  timeout: 'authentication_unavailable',
};

/** Errors of Fastify that are client mistakes. */
const FRAMEWORK_REJECTIONS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'the path is not valid percent-encoded UTF-8',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the request body must be sent as Content-Type: application/json, in UTF-8, without a Content-Encoding',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the request body is not as long as its Content-Length',
};

export class WrongMethod extends Rejection {
  readonly allowed: string;
  constructor(allowed: string) {
    super('invalid_parameter', `this path takes ${allowed}`);
    this.allowed = allowed;
  }
}

/** The address of the page about an error code. */
export type DocsOf = (code: RejectionCode) => string;

interface ErrorHandlerParts {
  /** Null where no page about errors is served. */
  readonly docsOf: DocsOf | null;
  readonly logger: Logger;
  readonly metrics: Pick<HttpMetrics, 'refused'>;
  /** What a browser shows for an error outside the interface; null where there are no pages. */
  readonly errorPage: ((error: ShownError) => Promise<string>) | null;
}

/** The paths of the interface: every error below them is in the envelope. */
const INTERFACE_PREFIXES = ['/api'];

/** Characters of a target that begin with a prefix and the slash after it, each of them percent-encoded: more than any prefix needs. */
const MAX_PREFIX_LENGTH = 200;

/** Answers every error in the envelope, or to a browser as a page, and logs failures of the service. */
export function errorHandler({ docsOf, logger, metrics, errorPage }: ErrorHandlerParts) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const rejection = rejectionOf(error, request);
    if (rejection !== error && STATUSES[rejection.code] >= 500) {
      const level = rejection.code === 'internal_error' ? 'error' : 'warn';
      logger[level]({ requestId: request.id, operation: request.operationId, code: rejection.code, err: error }, 'the request failed');
    }
    const thrown = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined;
    const { code, status, headers, body } = answerTo(rejection, request.raw.url, { docsOf, operationId: request.operationId, thrown });
    metrics.refused(code);
    if (request.raw.complete || status === STATUSES.request_too_large) {
      // Fastify ends the connection, and a client that still sends its body would lose the answer to a reset.
      if (reply.hasHeader('connection')) reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
      request.raw.resume();
    }
    void reply.code(status).headers(headers);
    const { url = '', headers: asked } = request.raw;
    if (errorPage === null || isBelow(url, INTERFACE_PREFIXES) || !prefersHtml(asked.accept)) return void reply.send(body);
    void sendPage(errorPage({ status, code, message: rejection.message, requestId: request.id }), reply, body);
  };
}

/** Where the page cannot be made, the envelope is sent. */
async function sendPage(page: Promise<string>, reply: FastifyReply, envelope: string): Promise<void> {
  const text = await page.catch(() => null);
  await (text === null ? reply.send(envelope) : reply.headers(ERROR_PAGE_HEADERS).send(text));
}

/** `target` is undefined where it could not be read. */
export function brokenRequestAnswer(rejection: Rejection, target: string | undefined, docsOf: DocsOf | null) {
  const { code, status, headers, body } = answerTo(rejection, target, { docsOf });
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  return { code, text: [head, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n') };
}

interface AnsweredAt {
  /** Null where no page about errors is served. */
  readonly docsOf: DocsOf | null;
  readonly operationId?: string;
  /** The status that the framework gave the error, where it gave one. */
  readonly thrown?: number | undefined;
}

/** `body` is the envelope as JSON text. */
function answerTo(rejection: Rejection, target: string | undefined, at: AnsweredAt) {
  const { message, details, retryAfterSeconds } = rejection;
  const isWrongMethod = rejection instanceof WrongMethod;
  const inReports = isBelow(target ?? '', [REPORT_PREFIX]) && !isWrongMethod ? IN_REPORTS[rejection.code] : undefined;
  const code = inReports ?? rejection.code;
  // The contract gives some codes a status of their own at one operation: 413 `invalid_input`, 415 `invalid_parameter`.
  const { refusalsAt = {} } = (OPERATIONS as unknown as Readonly<Record<string, Partial<Operation>>>)[at.operationId ?? ''] ?? {};
  const ownStatus = [at.thrown, STATUSES[rejection.code]].find((each) => each !== undefined && refusalsAt[each]?.includes(code));
  const status = isWrongMethod ? WRONG_METHOD_STATUS : (ownStatus ?? STATUSES[code]);
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (isWrongMethod) headers['allow'] = rejection.allowed;
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 429) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1)));
  // Where the target is unknown the answer might belong to a customer.
  if (target === undefined || isBelow(target, CUSTOMER_PREFIXES)) headers['cache-control'] = 'no-store';
  const shown = at.docsOf === null ? details : { ...details, docs: at.docsOf(code) };
  const envelope: ErrorEnvelope = { error: { code, message, ...(shown && { details: shown }) } };
  return { code, status, headers, body: JSON.stringify(envelope) };
}

/** The rejection for an error; `internal_error` for a defect, whose text is not published. */
function rejectionOf(error: unknown, request: FastifyRequest): Rejection {
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

/** Of a request target as received: with its query, percent-encoded, well formed or not. Only its beginning is decoded: a long one takes milliseconds. */
function isBelow(target: string, prefixes: readonly string[]): boolean {
  const raw = target.slice(0, MAX_PREFIX_LENGTH).split(/[?#]/, 1)[0]!;
  const path = raw.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
