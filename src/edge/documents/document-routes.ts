import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getOpenApiDocument } from '../../../contract/get-openapi-document.ts';
import { PUBLIC_CACHE } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { WORKFLOWS_PATH } from '../../../contract/workflows.ts';
import { programFile } from '../../../plumbing/program-files.ts';
import { buildArazzoDocument } from './arazzo.ts';
import { agentIndex, fullReference, operationPage, operationPagePath } from './markdown/reference.ts';
import { type OpenApiDocument, buildOpenApiDocument } from './openapi.ts';

const COMPONENT = {
  script: '/reference/swagger-ui.js',
  style: '/reference/swagger-ui.css',
  start: '/reference/start.js',
} as const;

/** Builds the reference page. It loads only files from this service, which its content security policy enforces. */
const referencePage = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${COMPONENT.style}">
<style>main > h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } @media (max-width: 40rem) { .swagger-ui .opblock-tag { flex-wrap: wrap; } .swagger-ui .opblock-tag small { order: 1; flex: 1 0 100%; padding: 0; } }</style>
</head>
<body>
<main>
<h1>${title}: reference</h1>
<div id="reference"></div>
<noscript>This page needs JavaScript; the same is at <a href="/api-reference.md">/api-reference.md</a>.</noscript>
</main>
<script src="${COMPONENT.script}"></script>
<script src="${COMPONENT.start}"></script>
</body>
</html>
`;

/** Inline styles and data images come from the component itself. No other host is contacted. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Memoizes the first success. A failure rejects and is not memoized. */
export function memoize<Value>(make: () => Value | Promise<Value>): () => Promise<Value> {
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
}

export interface DocumentRoute {
  readonly path: string;
  /** Null for a page. */
  readonly operationId: 'getOpenApiDocument' | null;
  readonly headers: Readonly<Record<string, string>> & {
    readonly 'content-type': string;
    readonly 'cache-control': string;
  };
  /** Makes the document. If it cannot be read, rejects (500 `internal_error`); the next call tries again. */
  readonly body: () => Promise<string | Buffer>;
}

const fromComponent = (file: string) => () =>
  readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));

/** Lists the routes of the documents. Each document is made at its first request, for the base URL at that time. */
export function documentRoutes(baseUrl: () => string): readonly DocumentRoute[] {
  const document = memoize(() => buildOpenApiDocument(baseUrl()));
  const route = (
    path: string,
    contentType: string,
    make: (document: OpenApiDocument) => string | Buffer | Promise<Buffer>,
    headers: Readonly<Record<string, string>> = {},
  ): DocumentRoute => ({
    path,
    operationId: path === getOpenApiDocument.path ? getOpenApiDocument.operationId : null,
    headers: {
      'content-type': contentType,
      'cache-control': getOpenApiDocument.cacheControl,
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: async () => make(await document()),
  });
  const markdown = 'text/markdown; charset=utf-8';
  const script = 'text/javascript; charset=utf-8';
  const pages = Object.keys(OPERATIONS).map((id) =>
    route(operationPagePath(id), markdown, (all) => operationPage(all, id)),
  );
  return [
    route(getOpenApiDocument.path, 'application/json; charset=utf-8', (all) => JSON.stringify(all)),
    route(WORKFLOWS_PATH, 'application/json; charset=utf-8', (all) => JSON.stringify(buildArazzoDocument(all))),
    route('/api-reference.md', markdown, fullReference),
    ...pages,
    route('/llms.txt', 'text/plain; charset=utf-8', agentIndex),
    route('/reference', 'text/html; charset=utf-8', (all) => referencePage(all.info.title), {
      'cache-control': PUBLIC_CACHE,
      'content-security-policy': REFERENCE_POLICY,
      'referrer-policy': 'no-referrer',
    }),
    route(COMPONENT.start, script, () => readFile(programFile('src/edge/documents/reference-start.js'))),
    route(COMPONENT.script, script, fromComponent('swagger-ui-bundle.js')),
    route(COMPONENT.style, 'text/css; charset=utf-8', fromComponent('swagger-ui.css')),
  ];
}
