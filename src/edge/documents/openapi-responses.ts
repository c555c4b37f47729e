import type { Examples, ClosedOperation, Operation, OtherAnswer } from '../../../contract/operation.ts';
import type { ResponseObject } from './document-types.ts';
import { errorExamples, type ErrorSchemas, meaningOf, refusalsByStatus } from './error-schemas.ts';
import { named } from './json-schemas.ts';
import { refusalHeaders, successHeaders } from './openapi-headers.ts';

const EVENT_STREAM = {
  schema: {
    type: 'string',
    description: 'Server-sent events, one `data:` frame a message; each message is what the JSON answer would be.',
  },
  examples: {
    frame: {
      summary: 'One frame',
      value: 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[]}}\n\n',
    },
  },
} as const;

const successOf = (operation: Operation, examples: Examples): ResponseObject => ({
  description: 'The answer.',
  headers: successHeaders(operation),
  content: {
    'application/json': { schema: named(operation.success.schema), examples },
    ...(operation.operationId === 'postMcpJsonRpc' ? { 'text/event-stream': EVENT_STREAM } : {}),
  },
});

const PROTOCOL_CODES: Readonly<Record<number, readonly [number, string]>> = {
  400: [-32_020, 'the Mcp-Method header does not match the method of the body'],
  404: [-32_601, 'there is no such method'],
  406: [-32_000, 'Accept must list both application/json and text/event-stream'],
};

const otherOf = (operation: Operation, { status, when, schema }: OtherAnswer, success: Examples): ResponseObject => {
  const [code, message] = PROTOCOL_CODES[status] ?? [];
  const examples: Examples =
    code === undefined
      ? success
      : { refused: { summary: when, value: { jsonrpc: '2.0', id: null, error: { code, message, data: { code: 'invalid_parameter' } } } } };
  return {
    description: when,
    headers: successHeaders(operation),
    ...(schema === null ? {} : { content: { 'application/json': { schema: named(schema), examples } } }),
  };
};

/** Every answer of an operation, by status. */
export const responsesOf = (
  operation: Operation | ClosedOperation,
  success: Examples,
  errors: ErrorSchemas,
): Readonly<Record<string, ResponseObject>> => {
  const responses: Record<string, ResponseObject> = {};
  if (operation.access !== 'closed') {
    responses[operation.success.status] = successOf(operation, success);
    for (const other of operation.otherAnswers ?? []) responses[other.status] = otherOf(operation, other, success);
    if (operation.access === 'public') {
      responses['304'] = { description: 'The answer that `If-None-Match` names still stands.', headers: successHeaders(operation) };
    }
  }
  for (const [status, codes] of refusalsByStatus(operation)) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${meaningOf(operation, code)}.`).join(' '),
      headers: refusalHeaders(operation.access, status),
      content: { 'application/json': { schema: errors.of(operation, status, codes), examples: errorExamples(operation, codes) } },
    };
  }
  return responses;
};
