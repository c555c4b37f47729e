import type { Service } from './service.ts';

export interface FeedPage {
  readonly data: {
    readonly items: readonly { readonly cursor: string; readonly recordId: string; readonly version: string }[];
  };
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

/** The answer's body, which must be one. */
export async function bodyOf<Body>(answer: Response): Promise<Body> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return JSON.parse(text) as Body;
}

/** All pages of the feed from a cursor to its end, as text and parsed. */
export async function readFeed(
  service: Service,
  key: string,
  limit: number,
  from?: string,
): Promise<readonly FeedPage[]> {
  const pages: FeedPage[] = [];
  for (let cursor = from, more = true; more; ) {
    const page = await bodyOf<FeedPage>(
      await service.fetch(`/api/v1/data/changes?limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`, {
        key,
      }),
    );
    pages.push(page);
    cursor = page.meta.nextCursor;
    more = page.meta.hasMore;
  }
  return pages;
}

/** The part of the pages that never changes: items with cursors, and the end of each page. */
export const lasting = (pages: readonly FeedPage[]): string =>
  JSON.stringify(pages.map(({ data, meta }) => ({ items: data.items, next: meta.nextCursor })));
