import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Rejection } from '../../../domain/rejections.ts';
import { callsOfBatch, findFault } from './message-checks.ts';
import { omitNullParams } from './null-arguments.ts';
import {
  idOf,
  PROTOCOL_ERRORS,
  protocolError,
  type ProtocolErrorBody,
  type ToolAnswer,
  withDataCode,
} from './protocol-errors.ts';
import { createToolRunner, type ToolCall, type ToolRunnerParts } from './run-tool.ts';
import { createToolServer, type Exchange, toolList } from './tool-server.ts';

interface ToolRequest extends Pick<ToolCall, 'principal' | 'requestId' | 'baseUrl' | 'onAllowance'> {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined if the body is not valid JSON in UTF-8. */
  readonly body: unknown;
  /** Aborted when the caller disconnects, and by the endpoint when the exchange is over. */
  readonly ending: AbortController;
  /** Charges more units of the account's allowances, all or none. Throws the `Rejection` that answers the request. */
  readonly chargeUnits: (units: number) => Promise<void>;
}

export type ToolEndpoint = ReturnType<typeof createToolEndpoint>;

/** Headers that the library sees; none of them is a credential. */
const SHOWN_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;
const JSON_TYPE = 'application/json; charset=utf-8';
const BEYOND_DEADLINE_MS = 5_000;
/** Created once: an abort without a reason creates an error with a stack each time. */
const ENDED = new Error('answered');

function shownHeaders({ headers }: ToolRequest): Headers {
  const relevant = new Headers();
  for (const name of SHOWN_HEADERS) {
    const value = headers[name];
    if (value !== undefined) relevant.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  // Media types are case-insensitive, but the library compares them literally.
  const accept = relevant.get('accept');
  if (accept !== null) relevant.set('accept', accept.toLowerCase());
  return relevant;
}

export function createToolEndpoint(parts: ToolRunnerParts) {
  const { logger } = parts;
  const runTool = createToolRunner(parts);
  const tools = toolList();
  const handler = createMcpHandler(
    ({ era, authInfo }) => createToolServer(era, authInfo?.extra?.['exchange'] as Exchange),
    {
      // Log only the name of the rule: a message might repeat input of the caller.
      onerror: ({ name, message }) =>
        logger.debug({ rule: /\(([a-z-]+)\)/.exec(message)?.[1] ?? name }, 'a tool request was refused'),
    },
  );
  /** Passes the messages to the library. Throws the `Rejection` with which a tool refuses the whole request. */
  const exchangeMessages = async (request: ToolRequest, body: unknown, headers: Headers): Promise<ToolAnswer> => {
    // The context excludes the headers, which contain the API key.
    const { principal, requestId, baseUrl, onAllowance, ending } = request;
    const isBatch = Array.isArray(body);
    const refusals: Rejection[] = [];
    const results: object[] = [];
    const exchange: Exchange = {
      principal,
      requestId,
      baseUrl,
      onAllowance,
      body,
      runTool,
      tools,
      refuseRequest: isBatch ? null : (rejection) => void refusals.push(rejection),
      answer: (message) => void results.push(message),
    };
    const authInfo = { token: '', clientId: principal.keyId, scopes: [...principal.scopes], extra: { exchange } };
    const libraryRequest = { method: 'POST', headers, signal: ending.signal } as Request;
    const response = await handler.fetch(libraryRequest, { parsedBody: body, authInfo });
    const end = (): void => ending.abort(ENDED);
    const result = results.at(-1);
    const answer = result === undefined ? await finishAnswer(response, isBatch, end) : jsonAnswer(result);
    if (result !== undefined) end();
    if (refusals[0] !== undefined) throw refusals[0];
    return answer;
  };
  return {
    /** Answers a request. Throws a `Rejection` if the request is refused as a whole. */
    async answer(request: ToolRequest): Promise<ToolAnswer> {
      if (request.body === undefined)
        return protocolError(400, PROTOCOL_ERRORS.parse, 'the request body is not valid JSON in UTF-8');
      const body = omitNullParams(request.body);
      const headers = shownHeaders(request);
      const fault = findFault(body, headers);
      if (fault !== null) return fault;
      const further = callsOfBatch(body, headers) - 1;
      if (further > 0) await request.chargeUnits(further);
      const { ending } = request;
      // A request that its own batch cancels is never answered, but the exchange still ends.
      parts.clock.sleep(parts.deadlineMs + BEYOND_DEADLINE_MS, ending.signal).then(
        () => ending.abort(),
        () => undefined,
      );
      return await exchangeMessages(request, body, headers);
    },
    close: () => handler.close(),
  };
}

const jsonAnswer = (result: object): ToolAnswer => ({ status: 200, type: JSON_TYPE, body: JSON.stringify(result) });

/**
 * Adds this interface's code to the library's errors. Reads the answer whole, except that of a batch, which is sent
 * event by event.
 */
async function finishAnswer(response: Response, isBatch: boolean, done: () => void): Promise<ToolAnswer> {
  const { status, body } = response;
  const type = response.headers.get('content-type');
  const isStream = type?.startsWith('text/event-stream') === true;
  if (body !== null && isStream && isBatch)
    return { status, type, body: body.pipeThrough(new TransformStream({ flush: done })) };
  const text = await response.text();
  done();
  if (text === '') return { status, type: null, body: null };
  if (isStream) return { status, type, body: text };
  return { status, type: JSON_TYPE, body: text.includes('"error":') ? codedError(text) : text };
}

function codedError(text: string): string {
  const answer = JSON.parse(text) as { readonly error?: ProtocolErrorBody };
  if (answer.error === undefined) return text;
  return JSON.stringify({ ...answer, id: idOf(answer), error: withDataCode(answer.error) });
}
