import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getOpenApiDocument } from '../../../contract/get-openapi-document.ts';
import { PUBLIC_CACHE } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import type { OpenApiDocument } from './document-types.ts';
import { placedOperations } from './markdown/operation-section.ts';
import { agentIndex, fullReference, operationPage, operationPagePath } from './markdown/reference.ts';
import { openApiDocumentOf } from './openapi.ts';
import { COMPONENT, REFERENCE_POLICY, REFERENCE_START, referencePage } from './reference-page.ts';

/** Memoizes the first success; a failure rejects and is not memoized. */
export const kept = <Value>(make: () => Value | Promise<Value>): (() => Promise<Value>) => {
  let value: Promise<Value> | undefined;
  return async () => {
    value ??= Promise.resolve().then(make);
    try {
      return await value;
    } catch (error) {
      value = undefined;
      throw error;
    }
  };
};

/** One document that is answered to a GET of its path. */
export interface DocumentRoute {
  readonly path: string;
  /** The operation of the contract that answers it, where one does; the pages are none. */
  readonly operationId: 'getOpenApiDocument' | null;
  readonly headers: Readonly<Record<string, string>> & { readonly 'content-type': string; readonly 'cache-control': string };
  /** Made once and cached. Rejects where a document cannot be read: 500 `internal_error`; the next call tries again. */
  readonly body: () => Promise<string | Buffer>;
}

interface Extras {
  readonly cacheControl: string;
  readonly operationId: 'getOpenApiDocument' | null;
  readonly headers: Readonly<Record<string, string>>;
}

const DOCUMENT_CACHE = getOpenApiDocument.cacheControl;

const fromComponent = (file: string) => () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));

/** Every document of the service and how it is answered. Each is made at its first request, for the base URL of that moment. */
export const documentRoutes = (baseUrl: () => string): readonly DocumentRoute[] => {
  const document = kept(() => openApiDocumentOf(baseUrl()));
  const route = (
    path: string,
    contentType: string,
    make: (document: OpenApiDocument) => string | Buffer | Promise<Buffer>,
    { cacheControl = DOCUMENT_CACHE, operationId = null, headers = {} }: Partial<Extras> = {},
  ): DocumentRoute => ({
    path,
    operationId,
    headers: { 'content-type': contentType, 'cache-control': cacheControl, 'x-content-type-options': 'nosniff', ...headers },
    body: kept(async () => make(await document())),
  });
  const markdown = 'text/markdown; charset=utf-8';
  const script = 'text/javascript; charset=utf-8';
  const pages = Object.keys(OPERATIONS).map((id) =>
    route(operationPagePath(id), markdown, (all) =>
      operationPage(all, placedOperations(all).find((placed) => placed.operation.operationId === id)!),
    ),
  );
  return [
    route('/api/openapi.json', 'application/json; charset=utf-8', (all) => JSON.stringify(all), { operationId: 'getOpenApiDocument' }),
    route('/api-reference.md', markdown, fullReference),
    ...pages,
    route('/llms.txt', 'text/plain; charset=utf-8', agentIndex),
    route('/reference', 'text/html; charset=utf-8', (all) => referencePage(all.info.title), {
      cacheControl: PUBLIC_CACHE,
      headers: { 'content-security-policy': REFERENCE_POLICY, 'referrer-policy': 'no-referrer' },
    }),
    route(COMPONENT.start, script, () => REFERENCE_START),
    route(COMPONENT.script, script, fromComponent('swagger-ui-bundle.js')),
    route(COMPONENT.style, 'text/css; charset=utf-8', fromComponent('swagger-ui.css')),
  ];
};
