import { Readable } from 'node:stream';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { postMcpJsonRpc } from '../../../contract/post-mcp-json-rpc.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { ToolEndpoint } from '../mcp/endpoint.ts';
import { PROTOCOL_ERRORS, protocolError, type ToolAnswer } from '../mcp/protocol-errors.ts';
import { compressAnswers } from './compress-answers.ts';
import { admitAfterLongBody, admitRequest, announceAllowance } from './admission-hooks.ts';
import { acceptJson, tryParseJson } from './input.ts';
import type { RouteParts } from './parts.ts';
import type { UnreadAnswers } from './unread-answers.ts';

const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Accept', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'];
const ANSWER_HEADERS = ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'];

type Tools = () => Promise<ToolEndpoint>;

export function addToolRoutes(app: FastifyInstance, tools: Tools, parts: RouteParts, unread: UnreadAnswers): void {
  const { operationId, method, path, body } = postMcpJsonRpc;
  const isAllowed = (origin: string): boolean =>
    [...parts.allowedOrigins, new URL(parts.baseUrl()).origin].includes(origin.toLowerCase());
  const refuseOrigin = async ({ raw: { headers } }: FastifyRequest): Promise<void> => {
    if (headers.origin !== undefined && !isAllowed(headers.origin))
      throw new Rejection('forbidden', 'pages of this origin are not allowed to call the tools');
  };
  app.register(
    async (scope) => {
      // The plugin adds an OPTIONS route for every path with this prefix.
      scope.addHook('onRequest', (request, reply, next) => {
        reply.header('cache-control', 'no-store');
        next(request.routeOptions.url === path ? undefined : request.unrouted());
      });
      scope.register(cors, {
        origin: (origin, decide) => decide(null, origin !== undefined && isAllowed(origin) && origin),
        methods: [method],
        allowedHeaders: REQUEST_HEADERS,
        exposedHeaders: ANSWER_HEADERS,
        maxAge: 600,
        strictPreflight: false,
      });
      compressAnswers(scope);
      unread.bound(scope);
      acceptJson(scope, tryParseJson, admitAfterLongBody(parts, postMcpJsonRpc));
      scope.route({
        method,
        url: '',
        config: { operationId },
        bodyLimit: body.maxBytes,
        onRequest: [refuseOrigin, admitRequest(parts, postMcpJsonRpc)],
        handler: (request, reply) => answer(tools, parts, request, reply),
      });
      // The plugin answers the preflight of an allowed page before this route runs.
      const refuse = () => {
        throw new Rejection('invalid_parameter', 'OPTIONS is only for preflight requests from allowed origins');
      };
      if (parts.allowedOrigins.length > 0)
        scope.options('', { config: { operationId }, onRequest: [refuseOrigin, refuse] }, refuse);
    },
    { prefix: path },
  );
}

async function answer(tools: Tools, parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { admission, clock, baseUrl } = parts;
  const principal = request.principal!;
  if (request.raw.url!.split('?', 2)[1]) {
    return send(
      protocolError(400, PROTOCOL_ERRORS.invalidRequest, 'the tool endpoint accepts no query parameters'),
      reply,
    );
  }
  const announce = announceAllowance(request, reply);
  const ending = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) ending.abort();
  });
  const response = await (await tools()).answer({
    headers: request.raw.headers,
    body: request.body,
    principal,
    requestId: request.id,
    baseUrl: baseUrl(),
    // The answer to a batch begins before its calls end.
    onAllowance: (states) => !reply.sent && announce(states),
    ending,
    chargeUnits: async (units) => announce(await admission.chargeUnits(principal, units, clock.now())),
  });
  return send(response, reply);
}

async function send({ status, type, body }: ToolAnswer, reply: FastifyReply): Promise<unknown> {
  void reply.code(status);
  if (type !== null) reply.header('content-type', type);
  return reply.send(body instanceof ReadableStream ? Readable.fromWeb(body) : (body ?? undefined));
}
