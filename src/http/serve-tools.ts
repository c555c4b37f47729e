import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { postMcpJsonRpc } from '../contract/post-mcp-json-rpc.ts';
import type { BucketState } from '../domain/ports/window-counts.ts';
import { Rejection } from '../domain/rejections.ts';
import type { ToolEndpoint } from '../mcp/endpoint.ts';
import { PROTOCOL_ERRORS, protocolError } from '../mcp/protocol-errors.ts';
import { readBodyBytes, requireJson } from './json-body.ts';
import { crossOriginHeaders, judgeOrigin, preflightHeaders } from './origins.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { answerTo } from './refusals.ts';
import { authorizationHeaders, type ServingParts } from './serve-operation.ts';

export interface ToolServing extends ServingParts {
  readonly endpoint: ToolEndpoint;
  /** Origins whose pages may call, beside the service's own, as browsers write them. */
  readonly allowedOrigins: readonly string[];
  /** Where the service is reached, without a slash at the end; known once the server listens. */
  readonly baseUrl: () => string;
}

const UNSUPPORTED_MEDIA_TYPE = 415;

/** Refuses a foreign page before anything else is looked at, and lets an allowed one read whatever is answered. */
const admitOrigin = ({ allowedOrigins, baseUrl }: ToolServing, request: FastifyRequest, reply: FastifyReply): void => {
  const { origin } = request.raw.headers;
  const judged = judgeOrigin([...allowedOrigins, new URL(baseUrl()).origin], origin);
  if (judged === 'foreign') throw new Rejection('forbidden', 'pages of this origin may not call the tools');
  if (judged === 'allowed') reply.headers(crossOriginHeaders(origin!));
};

/** One request to the tool endpoint: whose page, who is it, then the body, and the protocol's answer. */
export const serveTools = (parts: ToolServing) => {
  const { scope, surface, body } = postMcpJsonRpc;
  const { admission, clock } = parts;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { raw } = request;
    reply.header('cache-control', 'no-store');
    admitOrigin(parts, request, reply);
    const onAllowance = (states: readonly BucketState[]): void => void reply.headers(rateLimitHeaders(states));
    const principal = await admission.admit({
      authorization: authorizationHeaders(raw.rawHeaders),
      surface,
      scope,
      now: clock.now(),
      onAllowance,
    });
    request.accountId = principal.accountId;
    const refused = mediaTypeRefusal(request);
    if (refused !== null) {
      parts.metrics.refused(refused.code);
      return refusedAs(UNSUPPORTED_MEDIA_TYPE, refused, reply);
    }
    const fault = queryFault(raw.url ?? '');
    if (fault !== null) return sent(fault, reply);
    parts.connections.awaitsBody(raw);
    const bytes = await readBodyBytes(raw, body.maxBytes);
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const asked = {
      headers: raw.headers,
      body: bytes,
      principal,
      requestId: request.id,
      baseUrl: parts.baseUrl(),
      signal: gone.signal,
      chargeFurther: async (units: number) => onAllowance(await admission.chargeFurther(principal, units, clock.now())),
    };
    return sent(await parts.endpoint.answer(asked), reply);
  };
};

const sent = async (response: Response, reply: FastifyReply): Promise<unknown> => {
  void reply.code(response.status);
  const type = response.headers.get('content-type');
  if (type !== null) reply.header('content-type', type);
  if (response.body === null) return reply.send();
  return type === 'text/event-stream' ? reply.send(Readable.fromWeb(response.body)) : response.text();
};

/** The endpoint takes no query parameter, well formed or not. */
const queryFault = (target: string): Response | null => {
  const at = target.search(/[?#]/);
  if (at === -1 || at === target.length - 1) return null;
  return protocolError(400, PROTOCOL_ERRORS.invalidRequest, 'the tool endpoint takes no query parameter');
};

/** What a browser asks before an allowed page may call. */
export const serveToolsPreflight =
  (parts: ToolServing) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    admitOrigin(parts, request, reply);
    const { origin } = request.raw.headers;
    if (origin === undefined) throw new Rejection('invalid_parameter', 'OPTIONS is what a page of an allowed origin sends');
    return reply.code(204).headers(preflightHeaders(origin)).send();
  };

const mediaTypeRefusal = (request: FastifyRequest): Rejection | null => {
  try {
    requireJson(request.raw);
    return null;
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
};

const refusedAs = (status: number, rejection: Rejection, reply: FastifyReply): FastifyReply => {
  const answer = answerTo(rejection, status);
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
};
