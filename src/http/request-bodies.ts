import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { Rejection } from '../domain/rejections.ts';

/** The routes of this scope take JSON, read by Fastify up to the limit of the route once the request is admitted. */
export function takeJson(scope: FastifyInstance, parse: (bytes: Buffer) => unknown): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => done(null, parse(bytes)));
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    if (!isPlainJson(request)) return done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
    if (request.raw.headers.expect?.toLowerCase() === '100-continue' && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
    done();
  });
}

/** The routes of this scope ignore a body, of whatever type and length, and read none of it. */
export function ignoreBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a malformed media type before it asks the parser.
    delete request.raw.headers['content-type'];
    done();
  });
}

/** Throws `invalid_parameter` for what is no JSON text in UTF-8 (RFC 8259, section 8.1). */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new Rejection('invalid_parameter', 'the request body is not valid JSON in UTF-8');
  }
}

function isPlainJson({ raw: { headers } }: FastifyRequest): boolean {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  return mediaType === 'application/json' && isUtf8 && (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
}
