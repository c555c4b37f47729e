import { errorCodes, type FastifyInstance, type FastifyRequest, type FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { issueText, PLAINLY } from '../../../domain/text/plain-issues.ts';
import { percentDecoded } from '../../../plumbing/percent-encoding.ts';
import { Rejection } from '../../../domain/rejections.ts';

const MAX_ISSUES = 10;
const MAX_LENGTH = 200;
const MAX_TEXT_LENGTH = 500;

/** Validates input with the zod schemas of the contract. */
export const zodValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (value: unknown) => {
    try {
      const parsed = schema.safeParse(
        httpPart === 'querystring' ? parseQueryString((value as { readonly text: string }).text) : value,
        PLAINLY,
      );
      if (parsed.success) return { value: parsed.data };
      const { text, details } = describeFindings(parsed.error);
      return { error: new Rejection('invalid_parameter', text, { details }) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

/** Describes the issues of a schema without the refused values: the first as a text, and at most ten as details. */
export function describeFindings({ issues }: z.ZodError): { readonly text: string; readonly details: object } {
  const details = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.').slice(0, MAX_LENGTH), message: message.slice(0, MAX_LENGTH) }));
  const [first] = issues;
  return {
    text: first === undefined ? 'invalid input' : issueText(first).slice(0, MAX_TEXT_LENGTH),
    details: { issues: details },
  };
}

/**
 * No operation or page has more parameters. Parsing the hundreds that fit into a target takes ten times as long as
 * refusing the request.
 */
const MAX_PARAMETERS = 100;

/**
 * Parses a query string. Refuses a repeated key, bad percent-encoding and invalid UTF-8, which `URLSearchParams` all
 * accept.
 */
function parseQueryString(text: string): Readonly<Record<string, string>> {
  if (percentDecoded(text) === null)
    throw new Rejection('invalid_parameter', 'the query string is not valid percent-encoded UTF-8');
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw new Rejection('invalid_parameter', `the query string has more than ${MAX_PARAMETERS} parameters`);
  }
  const parameters = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(text)) {
    if (parameters.has(key))
      throw new Rejection('invalid_parameter', `the parameter ${JSON.stringify(key.slice(0, 80))} is repeated`);
    parameters.set(key, value);
  }
  return Object.fromEntries(parameters);
}

/**
 * Makes the routes of this scope accept JSON, read after the request is admitted. `received` is awaited between the end
 * of the body and the parsing.
 */
export function acceptJson(
  scope: FastifyInstance,
  parse: (bytes: Buffer) => unknown,
  received?: (request: FastifyRequest) => Promise<void>,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      await received?.(request);
      return parse(bytes);
    },
  );
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    if (!isPlainJson(request)) return done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
    if (request.raw.headers.expect?.toLowerCase() === '100-continue' && request.raw.httpVersion === '1.1')
      reply.raw.writeContinue();
    done();
  });
}

/** Makes the routes of this scope ignore bodies of any type and length without reading them. */
export function ignoreBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a malformed media type before it calls the parser.
    delete request.raw.headers['content-type'];
    done();
  });
}

/** Parses JSON text in UTF-8 (RFC 8259, section 8.1); undefined for any other bytes. */
export function tryParseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

export function parseJson(bytes: Buffer): unknown {
  const value = tryParseJson(bytes);
  if (value === undefined) throw new Rejection('invalid_parameter', 'the request body is not valid JSON in UTF-8');
  return value;
}

function isPlainJson({ raw: { headers } }: FastifyRequest): boolean {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  return (
    mediaType === 'application/json' &&
    isUtf8 &&
    (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
  );
}
