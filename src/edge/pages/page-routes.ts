import { z } from 'zod';
import { CADENCE_LIST_PATH, TOPIC_LIST_PATH } from '../../../contract/listings.ts';
import { errorPath, GUIDES_PATH, operationGuidePath } from './addresses.ts';

const HTML = 'text/html; charset=utf-8';
const ATOM = 'application/atom+xml; charset=utf-8';
/** For programs: what may be asked for. */
export const LISTING = 'application/json; charset=utf-8';
const CALENDAR = 'text/calendar; charset=utf-8';

/** An empty field of a form is no value. */
const field = z.preprocess((value) => (value === '' ? undefined : value), z.string().optional());
const nothing = z.object({});
/** Other parameters, such as those that social networks add to links, are ignored. */
const search = z.object({ q: field, jurisdiction: field, topic: field, from: field, to: field, cursor: field });
const cursor = z.object({ cursor: field });
const start = z.object({ start: z.coerce.number<string>().int().min(0).max(100_000).catch(0) });

/** Without their functions, which are loaded with the first page. */
export const PAGE_ROUTES = {
  front: { path: '/', contentType: HTML, query: nothing },
  search: { path: '/search', contentType: HTML, query: search },
  topic: { path: '/topics/:topicSlug', contentType: HTML, query: cursor },
  jurisdiction: { path: '/jurisdictions/:slug', contentType: HTML, query: start },
  body: { path: '/jurisdictions/:slug/bodies/:bodySlug', contentType: HTML, query: nothing },
  meeting: { path: '/meetings/:meetingId', contentType: HTML, query: start },
  item: { path: '/items/:itemId', contentType: HTML, query: nothing },
  topicFeed: { path: '/topics/:topicSlug/atom.xml', contentType: ATOM, query: nothing },
  jurisdictionFeed: { path: '/jurisdictions/:slug/atom.xml', contentType: ATOM, query: nothing },
  searchFeed: { path: '/search/atom.xml', contentType: ATOM, query: search },
  calendar: { path: '/jurisdictions/:slug/bodies/:bodySlug/calendar.ics', contentType: CALENDAR, query: nothing },
  topicList: { path: TOPIC_LIST_PATH, contentType: LISTING, query: nothing },
  cadenceList: { path: CADENCE_LIST_PATH, contentType: LISTING, query: nothing },
  guides: { path: GUIDES_PATH, contentType: HTML, query: z.object({ q: field }) },
  guide: { path: `${GUIDES_PATH}/:name`, contentType: HTML, query: nothing },
  decision: { path: `${GUIDES_PATH}/decisions/:name`, contentType: HTML, query: nothing },
  operation: { path: operationGuidePath(':operationId'), contentType: HTML, query: nothing },
  errorCode: { path: errorPath(':code'), contentType: HTML, query: nothing },
} as const;

export type PageName = keyof typeof PAGE_ROUTES;

/** What was asked for: parameters of the path and of the query, and the address of the client that asked first. */
export interface Asked<Name extends PageName = PageName> {
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: z.output<(typeof PAGE_ROUTES)[Name]['query']>;
}
