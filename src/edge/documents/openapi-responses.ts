import {
  type ClosedOperation,
  type Examples,
  MEDIA_TYPES,
  type Operation,
  type OtherAnswer,
} from '../../../contract/operation.ts';
import { errorEnvelope, STATUSES } from '../../../contract/error-codes.ts';
import { type RejectionCode, REJECTIONS, REPORTS_FORBIDDEN } from '../../../domain/rejections.ts';
import { pascal } from '../../../contract/fields.ts';
import { type JsonSchema, named, referenceTo, referringInput } from './json-schemas.ts';
import { refusalHeaders, successHeaders } from './openapi-headers.ts';

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples: Examples }>>;

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Content;
}

const EVENT_STREAM = {
  schema: {
    type: 'string',
    description: 'Server-sent events, one `data:` frame per message; each message has the form of the JSON answer.',
  },
  examples: {
    frame: {
      summary: 'One frame',
      value: 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[]}}\n\n',
    },
  },
} as const;

const LINES = {
  schema: {
    type: 'string',
    description:
      'Newline-delimited JSON, for `Accept: application/x-ndjson`: each line is one of the `items`, and the last line is `{"meta":…}`.',
  },
  examples: { empty: { summary: 'A page without items', value: '{"meta":{"nextCursor":"…","hasMore":false}}\n' } },
} as const;

const describeSuccess = (operation: Operation, examples: Examples): ResponseObject => ({
  description: 'The answer.',
  headers: successHeaders(operation),
  content: {
    'application/json': { schema: named(operation.success.schema), examples },
    ...(operation.success.forms?.includes('ndjson') ? { [MEDIA_TYPES.ndjson]: LINES } : {}),
    ...(operation.operationId === 'postMcpJsonRpc' ? { 'text/event-stream': EVENT_STREAM } : {}),
  },
});

const PROTOCOL_CODES: Readonly<Record<number, readonly [number, string]>> = {
  400: [-32_020, 'the Mcp-Method header does not match the method of the body'],
  404: [-32_601, 'there is no such method'],
  406: [-32_000, 'Accept must list both application/json and text/event-stream'],
};

function describeOtherAnswer(
  operation: Operation,
  { status, when, schema }: OtherAnswer,
  success: Examples,
): ResponseObject {
  const [code, message] = PROTOCOL_CODES[status] ?? [];
  const examples: Examples =
    code === undefined
      ? success
      : {
          refused: {
            summary: when,
            value: { jsonrpc: '2.0', id: null, error: { code, message, data: { code: 'invalid_parameter' } } },
          },
        };
  return {
    description: when,
    headers: successHeaders(operation),
    ...(schema === null ? {} : { content: { 'application/json': { schema: named(schema), examples } } }),
  };
}

const PREFIXES = { data: 'Feed', subscriptions: 'Feed', reports: 'Report', tools: 'ToolEndpoint' } as const;

function errorPrefix(operation: Operation | ClosedOperation): string {
  if (operation.access === 'closed') return 'ClosedRoute';
  return operation.surface === null ? 'Public' : PREFIXES[operation.surface];
}

function refusalsByStatus(operation: Operation | ClosedOperation) {
  const elsewhere = operation.access === 'closed' ? {} : (operation.refusalsAt ?? {});
  const byStatus: Record<number, RejectionCode[]> = {};
  for (const code of operation.refusals) (byStatus[STATUSES[code]] ??= []).push(code);
  for (const [status, codes] of Object.entries(elsewhere)) (byStatus[Number(status)] ??= []).push(...codes);
  return Object.entries(byStatus).map(([status, codes]) => [Number(status), codes] as const);
}

function errorName(prefix: string, status: number, codes: readonly RejectionCode[]): string {
  if (codes.length <= 2) return `${prefix}Error${codes.map(pascal).join('Or')}`;
  return `${codes.some((code) => code.startsWith('feed_subscription')) ? 'Subscription' : prefix}Error${status}`;
}

/**
 * Describes the error envelope, narrowed to these codes. Each code appears twice: in the envelope and at its status.
 */
function narrowEnvelope(prefix: string, codes: readonly RejectionCode[]): JsonSchema {
  const envelope = referringInput(errorEnvelope);
  const error = envelope.properties?.['error'];
  const code: JsonSchema = {
    allOf: [referenceTo(`${prefix}ErrorCode`), { type: 'string', enum: [...codes] }],
    description: 'What happened, for a program.',
  };
  return { ...envelope, properties: { error: { ...error, properties: { ...error?.properties, code } } } };
}

const describeRejection = (operation: Operation | ClosedOperation, code: RejectionCode): string =>
  code === 'forbidden' && errorPrefix(operation) === 'Report' ? REPORTS_FORBIDDEN : REJECTIONS[code];

/** Describes the responses of an operation, by status. Adds the schemas of refusals to `errors`, by name. */
export function describeResponses(operation: Operation | ClosedOperation, errors: Record<string, JsonSchema>) {
  const responses: Record<string, ResponseObject> = {};
  const success = operation.example.success ?? {};
  if (operation.access !== 'closed') {
    responses[operation.success.status] = describeSuccess(operation, success);
    for (const other of operation.otherAnswers ?? [])
      responses[other.status] = describeOtherAnswer(operation, other, success);
    if (operation.access === 'public') {
      responses['304'] = {
        description: 'The answer that `If-None-Match` names still stands.',
        headers: successHeaders(operation),
      };
    }
  }
  for (const [status, codes] of refusalsByStatus(operation)) {
    const prefix = errorPrefix(operation);
    const name = errorName(prefix, status, codes);
    const schema = narrowEnvelope(prefix, codes);
    if (JSON.stringify((errors[name] ??= schema)) !== JSON.stringify(schema))
      throw new Error(`two sets of error codes have the name ${name}`);
    const meanings = codes.map((code) => [code, describeRejection(operation, code)] as const);
    const examples = meanings.map(([code, message]) => [
      code,
      { summary: message, value: { error: { code, message } } },
    ]);
    responses[status] = {
      description: meanings.map(([code, meaning]) => `\`${code}\`: ${meaning}.`).join(' '),
      headers: refusalHeaders(operation.access, status),
      content: { 'application/json': { schema: referenceTo(name), examples: Object.fromEntries(examples) } },
    };
  }
  return responses;
}
