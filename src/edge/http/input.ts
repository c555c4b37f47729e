import { errorCodes, type FastifyInstance, type FastifyRequest, type FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { issueText, PLAINLY } from '../../../domain/plain-issues.ts';
import { percentDecoded } from '../../../domain/percent-encoding.ts';
import { Rejection } from '../../../domain/rejections.ts';

const MAX_ISSUES = 10;
const MAX_LENGTH = 200;
const MAX_TEXT_LENGTH = 500;

/** Fastify's validator compiler over the zod schemas of the contract. */
export const zodValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (value: unknown) => {
    try {
      const parsed = schema.safeParse(httpPart === 'querystring' ? parseQueryString(value as string) : value, PLAINLY);
      if (parsed.success) return { value: parsed.data };
      const { text, details } = findingsOf(parsed.error);
      return { error: new Rejection('invalid_parameter', text, { details }) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

/** The findings of a schema without the refused values: the first as a text, and at most ten as details. */
export function findingsOf({ issues }: z.ZodError): { readonly text: string; readonly details: object } {
  const shown = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.').slice(0, MAX_LENGTH), message: message.slice(0, MAX_LENGTH) }));
  const [first] = issues;
  return { text: first === undefined ? 'invalid input' : issueText(first).slice(0, MAX_TEXT_LENGTH), details: { issues: shown } };
}

/** More than any operation or page has; reading the hundreds that fit into a target takes ten times as long as refusing the request. */
const MAX_PARAMETERS = 100;

/** Each key once. A repeated key, bad percent-encoding and invalid UTF-8 are refused: `URLSearchParams` lets all three pass. */
function parseQueryString(text: string): Readonly<Record<string, string>> {
  if (percentDecoded(text) === null) throw new Rejection('invalid_parameter', 'the query string is not valid percent-encoded UTF-8');
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw new Rejection('invalid_parameter', `the query string has more than ${MAX_PARAMETERS} parameters`);
  }
  const parameters = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(text)) {
    if (parameters.has(key)) throw new Rejection('invalid_parameter', `the parameter ${JSON.stringify(key.slice(0, 80))} is repeated`);
    parameters.set(key, value);
  }
  return Object.fromEntries(parameters);
}

/** The routes of this scope take JSON, which Fastify reads once the request is admitted. `received` is awaited between its end and the parsing. */
export function takeJson(
  scope: FastifyInstance,
  parse: (bytes: Buffer) => unknown,
  received?: (request: FastifyRequest) => Promise<void>,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    await received?.(request);
    return parse(bytes);
  });
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    if (!isPlainJson(request)) return done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
    if (request.raw.headers.expect?.toLowerCase() === '100-continue' && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
    done();
  });
}

/** The routes of this scope ignore a body of any type and length without reading it. */
export function ignoreBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a malformed media type before it asks the parser.
    delete request.raw.headers['content-type'];
    done();
  });
}

/** The value of a JSON text in UTF-8 (RFC 8259, section 8.1); undefined for any other text. */
export function jsonValue(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

export function parseJson(bytes: Buffer): unknown {
  const value = jsonValue(bytes);
  if (value === undefined) throw new Rejection('invalid_parameter', 'the request body is not valid JSON in UTF-8');
  return value;
}

function isPlainJson({ raw: { headers } }: FastifyRequest): boolean {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  return mediaType === 'application/json' && isUtf8 && (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
}
