import { OPERATIONS } from '../../../contract/operations.ts';
import { jurisdictionFeed, searchFeed, topicFeed } from './atom.ts';
import { frontPage } from './front-page.ts';
import { itemPage, meetingPage } from './meeting-pages.ts';
import { pageLayout, type PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest, PageName } from './page-routes.ts';
import { bodyPage, jurisdictionPage } from './place-pages.ts';
import { searchPage } from './search-page.ts';
import { topicPage } from './topic-page.ts';

const page =
  <Name extends PageName>(
    make: (reads: PageReads, request: PageRequest<Name>, baseUrl: string) => Promise<PageParts>,
  ) =>
  async (reads: PageReads, request: PageRequest<Name>, baseUrl: string): Promise<string> =>
    pageLayout(await make(reads, request, baseUrl), reads.contact);

async function cadences({ publishedCadences }: PageReads, baseUrl: string): Promise<readonly object[]> {
  const { path } = OPERATIONS.getPublicBodyCadence;
  return (await publishedCadences()).map((pair) => {
    const { jurisdictionSlug, bodySlug } = pair;
    return { ...pair, url: baseUrl + path.replace('{slug}', jurisdictionSlug).replace('{bodySlug}', bodySlug) };
  });
}

/** Loaded with the first guide. */
const guides = () => import('./guide-pages.ts');

/** The text of each page. Each throws a `Rejection` for what is not there. */
export const RENDERERS: {
  readonly [Name in PageName]: (reads: PageReads, request: PageRequest<Name>, baseUrl: string) => Promise<string>;
} = {
  front: page(frontPage),
  search: page(searchPage),
  topic: page(topicPage),
  jurisdiction: page(jurisdictionPage),
  body: page(bodyPage),
  meeting: page(meetingPage),
  item: page(itemPage),
  topicFeed,
  jurisdictionFeed,
  searchFeed,
  topicList: async (reads) => JSON.stringify({ data: await reads.coveredTopics() }),
  cadenceList: async (reads, _asked, baseUrl) => JSON.stringify({ data: await cadences(reads, baseUrl) }),
  guides: page(async (reads, request) => (await guides()).guidesPage(reads, request)),
  guide: page(async (reads, request) => (await guides()).guidePage(reads, request)),
  decision: page(async (reads, request) => (await guides()).decisionPage(reads, request)),
  operation: page(async (...request) => (await guides()).operationGuidePage(...request)),
  errorCode: page(async (reads, request) => (await guides()).errorCodePage(reads, request)),
  calendar: async (...request) => (await import('./calendar.ts')).bodyCalendar(...request),
};
