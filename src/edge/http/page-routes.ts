import type { IncomingMessage } from 'node:http';
import { createRepresentation, prefersHtml } from '../answers/representation.ts';
import { kept } from '../documents/document-routes.ts';
import type { ShownError } from '../pages/error-page.ts';
import { indexHeaders, serviceIndex } from '../pages/page-documents.ts';
import { cachedPageHeaders } from '../pages/page-headers.ts';
import type { PageReads } from '../pages/page-reads.ts';
import { LISTING, PAGE_ROUTES, type PageName } from '../pages/page-routes.ts';
import type { RouteParts } from './parts.ts';
import type { AddCachedRoute } from './cached-routes.ts';
import { sharedWith } from './send-representation.ts';

/** Loaded with the first page. */
const renderers = kept(() => import('../pages/renderers.ts'));

/** Other sites link to pages; none reads them by script. */
const UNSHARED = (): readonly string[] => [];

const PROGRAM = 'program';

/** The pages for people, under the limits and in the cache of the public operations. The front page has another form for programs. */
export function addPageRoutes(add: AddCachedRoute, { pages, baseUrl, publicOrigins }: RouteParts): void {
  for (const [name, { path, contentType, query }] of Object.entries(PAGE_ROUTES)) {
    const isFront = path === PAGE_ROUTES.front.path;
    const headers = { ...cachedPageHeaders(contentType), ...(isFront && { vary: 'Accept' }) };
    add({
      name: `page ${name}`,
      url: path,
      schema: { querystring: query },
      operationId: null,
      sharing: contentType === LISTING ? sharedWith(publicOrigins) : UNSHARED,
      answer: async (asked, { variant, address }) => {
        if (variant === PROGRAM) return createRepresentation(serviceIndex(baseUrl()), indexHeaders, 'passing');
        const { RENDERERS } = await renderers();
        const render: (reads: PageReads, asked: never, baseUrl: string) => Promise<string> = RENDERERS[name as PageName];
        return createRepresentation(await render(pages, { ...asked, address } as never, baseUrl()), headers, 'passing');
      },
      soft: null,
      ...(isFront && { variant: ({ headers }: IncomingMessage) => (prefersHtml(headers.accept) ? 'browser' : PROGRAM) }),
    });
  }
}

export const showError =
  ({ contact }: PageReads) =>
  async (error: ShownError): Promise<string> =>
    (await import('../pages/error-page.ts')).errorPage(error, contact);
