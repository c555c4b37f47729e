import { z } from 'zod';
import { CADENCE_LIST_PATH, TOPIC_LIST_PATH } from '../../../contract/listings.ts';
import { errorPath, GUIDES_PATH, operationGuidePath } from './addresses.ts';

const HTML = 'text/html; charset=utf-8';
const ATOM = 'application/atom+xml; charset=utf-8';
/** Media type of the values that parameters accept, for programs. */
export const LISTING = 'application/json; charset=utf-8';
const CALENDAR = 'text/calendar; charset=utf-8';

/** Treats an empty field of a form as absent. */
const field = z.preprocess((value) => (value === '' ? undefined : value), z.string().optional());
const noParameters = z.object({});
const dollars = z.preprocess(
  (value) => (value === '' ? undefined : value),
  z.coerce.number<string>().int().min(0).max(1e12).optional(),
);
/** Ignores other parameters, such as those that social networks add to links. */
const search = z.object({
  q: field,
  jurisdiction: field,
  topic: field,
  from: field,
  to: field,
  min: dollars,
  max: dollars,
  cursor: field,
});
const cursor = z.object({ cursor: field });
const start = z.object({ start: z.coerce.number<string>().int().min(0).max(100_000).catch(0) });

/** Last item of the page before, and the time of its newest hit in milliseconds. */
const older = z
  .object({
    before: z.preprocess(
      (value) => (value === '' ? undefined : value),
      z.coerce.number<string>().int().min(0).max(8.64e15).optional(),
    ),
    item: z.preprocess((value) => (value === '' ? undefined : value), z.uuid().optional()),
  })
  .refine(({ before, item }) => (before === undefined) === (item === undefined), {
    error: 'before and item belong together',
  });

/** Routes without their functions, which are loaded with the first page. */
export const PAGE_ROUTES = {
  front: { path: '/', contentType: HTML, query: noParameters },
  search: { path: '/search', contentType: HTML, query: search },
  topic: { path: '/topics/:topicSlug', contentType: HTML, query: cursor },
  jurisdiction: { path: '/jurisdictions/:slug', contentType: HTML, query: start },
  body: { path: '/jurisdictions/:slug/bodies/:bodySlug', contentType: HTML, query: noParameters },
  meeting: { path: '/meetings/:meetingId', contentType: HTML, query: start },
  item: { path: '/items/:itemId', contentType: HTML, query: noParameters },
  topicFeed: { path: '/topics/:topicSlug/atom.xml', contentType: ATOM, query: older },
  jurisdictionFeed: { path: '/jurisdictions/:slug/atom.xml', contentType: ATOM, query: older },
  searchFeed: { path: '/search/atom.xml', contentType: ATOM, query: search },
  calendar: { path: '/jurisdictions/:slug/bodies/:bodySlug/calendar.ics', contentType: CALENDAR, query: noParameters },
  topicList: { path: TOPIC_LIST_PATH, contentType: LISTING, query: noParameters },
  cadenceList: { path: CADENCE_LIST_PATH, contentType: LISTING, query: noParameters },
  guides: { path: GUIDES_PATH, contentType: HTML, query: z.object({ q: field }) },
  guide: { path: `${GUIDES_PATH}/:name`, contentType: HTML, query: noParameters },
  decision: { path: `${GUIDES_PATH}/decisions/:name`, contentType: HTML, query: noParameters },
  operation: { path: operationGuidePath(':operationId'), contentType: HTML, query: noParameters },
  errorCode: { path: errorPath(':code'), contentType: HTML, query: noParameters },
} as const;

export type PageName = keyof typeof PAGE_ROUTES;

/** A request for a page: the parameters of its path and query, and the address of the client whose request filled the cache. */
export interface PageRequest<Name extends PageName = PageName> {
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: z.output<(typeof PAGE_ROUTES)[Name]['query']>;
}
