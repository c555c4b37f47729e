import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { Rejection } from '../domain/rejections.ts';

const MAX_ISSUES = 10;

/**
 * Fastify's validator compiler over the zod schemas of the contract: the parsed value, or `invalid_parameter` with what is wrong where. The
 * refused values themselves are not repeated.
 */
export const zodValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const parse = (value: unknown) => schema.safeParse(httpPart === 'querystring' ? parseQueryString(value as string) : value);
  return (value: unknown) => {
    try {
      const parsed = parse(value);
      return parsed.success ? { value: parsed.data } : { error: rejectionOf(parsed.error) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

/** For Fastify's `querystringParser`: the text, which is parsed where it is validated, so that a kept answer costs no parsing. */
export const queryText = (text: string): Record<string, unknown> => text as unknown as Record<string, unknown>;

function rejectionOf({ issues }: z.ZodError): Rejection {
  const shown = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path: path.join('.'), message: message.slice(0, 200) }));
  const [first] = shown;
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  return new Rejection('invalid_parameter', `${where}${first?.message ?? 'invalid input'}`, { details: { issues: shown } });
}

/**
 * Each key once. A repeated key (in whatever encoding), bad percent-encoding and invalid UTF-8 are refused: the parsers of the field let
 * all three pass.
 */
function parseQueryString(text: string): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (key in parameters) throw new Rejection('invalid_parameter', `the parameter ${JSON.stringify(key.slice(0, 80))} is repeated`);
    parameters[key] = decode(equals === -1 ? '' : pair.slice(equals + 1));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Rejection('invalid_parameter', 'the query string is not valid percent-encoded UTF-8');
  }
}
