import type { IncomingMessage } from 'node:http';
import { createRepresentation, prefersHtml } from '../answers/representation.ts';
import { memoize } from '../documents/document-routes.ts';
import type { ShownError } from '../pages/error-page.ts';
import { indexHeaders, serviceIndex } from '../pages/page-documents.ts';
import { cachedPageHeaders } from '../pages/page-headers.ts';
import type { PageReads } from '../pages/page-reads.ts';
import { LISTING, PAGE_ROUTES, type PageName } from '../pages/page-routes.ts';
import type { RouteParts } from './parts.ts';
import type { AddCachedRoute } from './cached-routes.ts';
import { shareWith } from './send-representation.ts';

/** Loaded at the first page. */
const renderers = memoize(() => import('../pages/renderers.ts'));

/** Other sites link to pages, but their scripts do not read them. */
const UNSHARED = (): readonly string[] => [];

const PROGRAM = 'program';

/**
 * Adds the pages for people, with the limits and the cache of the public operations. Programs get another form of the
 * front page.
 */
export function addPageRoutes(add: AddCachedRoute, { pages, baseUrl, publicOrigins }: RouteParts): void {
  for (const [name, { path, contentType, query }] of Object.entries(PAGE_ROUTES)) {
    const isFront = path === PAGE_ROUTES.front.path;
    const headers = { ...cachedPageHeaders(contentType), ...(isFront && { vary: 'Accept' }) };
    add({
      name: `page ${name}`,
      url: path,
      schema: { querystring: query },
      operationId: null,
      sharing: contentType === LISTING ? shareWith(publicOrigins) : UNSHARED,
      answer: async (input, { variant, address }) => {
        if (variant === PROGRAM) return createRepresentation(serviceIndex(baseUrl()), indexHeaders, 'passing');
        const { RENDERERS } = await renderers();
        const render: (reads: PageReads, input: never, baseUrl: string) => Promise<string> =
          RENDERERS[name as PageName];
        return createRepresentation(await render(pages, { ...input, address } as never, baseUrl()), headers, 'passing');
      },
      soft: null,
      ...(isFront && {
        variant: ({ headers }: IncomingMessage) => (prefersHtml(headers.accept) ? 'browser' : PROGRAM),
      }),
    });
  }
}

export const showError =
  ({ contact }: PageReads) =>
  async (error: ShownError): Promise<string> =>
    (await import('../pages/error-page.ts')).errorPage(error, contact);
