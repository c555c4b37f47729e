import { SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';

/** Text of a page by path and query; a text in place of a page is the reason why it cannot be read. */
export type Pages = Readonly<Record<string, string | { readonly failure: string } | { readonly movedTo: string }>>;

export interface PageRequest {
  readonly path: string;
  readonly form: Readonly<Record<string, string>> | undefined;
}

/** A reader of pages in memory that records its requests. */
export function servePages(pages: Pages) {
  const requests: PageRequest[] = [];
  const web: WebReader = {
    page: async (address, form) => {
      const { pathname, search } = new URL(address);
      const path = `${pathname}${search}`;
      requests.push({ path, form });
      const page = pages[path] ?? { failure: `no page at ${path}` };
      if (typeof page === 'string') return { address, mediaType: 'text/html', text: page };
      if ('failure' in page) throw new SourceUnavailable(page.failure);
      return web.page(new URL(page.movedTo, address).href, form);
    },
    file: async () => null,
  };
  return { web, requests };
}
