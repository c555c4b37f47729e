import { OPERATIONS } from '../../../contract/operations.ts';
import { jurisdictionFeed, searchFeed, topicFeed } from './atom.ts';
import { frontPage } from './front-page.ts';
import { itemPage, meetingPage } from './meeting-pages.ts';
import { pageLayout, type PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { Asked, PageName } from './page-routes.ts';
import { bodyPage, jurisdictionPage } from './place-pages.ts';
import { searchPage } from './search-page.ts';
import { topicPage } from './topic-page.ts';

const page =
  <Name extends PageName>(make: (reads: PageReads, asked: Asked<Name>, baseUrl: string) => Promise<PageParts>) =>
  async (reads: PageReads, asked: Asked<Name>, baseUrl: string): Promise<string> =>
    pageLayout(await make(reads, asked, baseUrl), reads.contact);

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
export const RENDERERS: { readonly [Name in PageName]: (reads: PageReads, asked: Asked<Name>, baseUrl: string) => Promise<string> } = {
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
  guides: page(async (reads, asked) => (await guides()).guidesPage(reads, asked)),
  guide: page(async (reads, asked) => (await guides()).guidePage(reads, asked)),
  decision: page(async (reads, asked) => (await guides()).decisionPage(reads, asked)),
  operation: page(async (...asked) => (await guides()).operationGuidePage(...asked)),
  errorCode: page(async (reads, asked) => (await guides()).errorCodePage(reads, asked)),
  calendar: async (...asked) => (await import('./calendar.ts')).bodyCalendar(...asked),
};
