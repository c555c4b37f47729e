import prismHttp from '@stoplight/prism-http';
import prismServer from '@stoplight/prism-http-server';
import { OPERATIONS, type OperationId } from '../../contract/operations.ts';

/** A difference between a message and the document: its place (`request` or `response` first) and its text. */
export interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly ofRequest: readonly Violation[];
  readonly ofResponse: readonly Violation[];
}

/** The input of an operation; a body that is not text is sent as JSON. */
export interface OperationRequest {
  readonly params?: Readonly<Record<string, string>>;
  /** Query, including the question mark. */
  readonly query?: string;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Prism between a client and a service: it forwards everything and names differences from the document. */
export interface ValidatingProxy {
  ask(id: OperationId, request?: OperationRequest): Promise<ProxiedAnswer>;
  /** The answers so far without a difference, as `operationId status`. */
  readonly answered: ReadonlySet<string>;
  close(): Promise<void>;
}

const SILENT = Object.fromEntries(
  ['trace', 'debug', 'info', 'success', 'warn', 'error', 'fatal'].map((level) => [level, () => undefined]),
) as Record<string, unknown>;
SILENT['child'] = () => SILENT;

/**
 * Starts a proxy on a free port, by default for the document that the service answers. Close it in `afterAll` or
 * `finally`.
 */
export async function startValidatingProxy(upstream: string, override?: object): Promise<ValidatingProxy> {
  // A copy through JSON, because Prism resolves references in place.
  const document =
    override === undefined
      ? await (await fetch(`${upstream}/api/openapi.json`)).json()
      : JSON.parse(JSON.stringify(override));
  const operations = await prismHttp.getHttpOperationsFromSpec(document as object);
  const server = prismServer.createServer(operations, {
    cors: false,
    components: { logger: SILENT as never },
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      mock: { dynamic: false },
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      // Differences are in a header, and the answer of the service passes.
      errors: false,
    },
  });
  const url = await server.listen(0, '127.0.0.1');
  const answered = new Set<string>();
  return {
    answered,
    ask: async (id, request = {}) => {
      const response = await fetch(url + pathOf(id, request), requestOf(id, request));
      const violations = violationsOf(response.headers.get('sl-violations'));
      const ofResponse = violations.filter(({ location: [side] }) => side === 'response');
      if (ofResponse.length === 0) answered.add(`${id} ${response.status}`);
      return {
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        ofRequest: violations.filter(({ location: [side] }) => side !== 'response'),
        ofResponse,
      };
    },
    close: () => server.close(),
  };
}

const pathOf = (id: OperationId, { params = {}, query = '' }: OperationRequest): string =>
  OPERATIONS[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')) + query;

const requestOf = (id: OperationId, { key, headers, body }: OperationRequest): RequestInit => ({
  method: OPERATIONS[id].method,
  headers: {
    ...(key === undefined || key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
});

/** A list that is too long for a header is cut off by Prism and is no JSON any more: it counts for both sides. */
function violationsOf(header: string | null): readonly Violation[] {
  if (header === null) return [];
  if (header.startsWith('[')) return JSON.parse(header) as Violation[];
  return ['request', 'response'].map((side) => ({ location: [side], message: header }));
}
