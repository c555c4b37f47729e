import { SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { runInTurns, type Steps } from '../../../domain/text/steps.ts';
import { type PageElement, withAttribute, withTag } from '../pages/parse-page.ts';
import { type Page, readPage } from '../pages/read-page.ts';
import { dayInTitle } from '../pages/title-days.ts';

/** Link to a recording or to its beginning. */
const RECORDING = /\/(?:videos|play)\/(\d{1,12})(?:\/0)?(?:[?#]|$)/;

const VIEW = {
  tables: withAttribute('table', 'id', 'video-table'),
  tabs: withAttribute('a', 'href'),
  next: (tag: string, { rel = '' }: Readonly<Record<string, string | undefined>>) =>
    tag === 'a' && /\bnext\b/.test(rel),
  links: (tag: string, { href }: Readonly<Record<string, string | undefined>>) =>
    tag === 'a' && RECORDING.test(href ?? ''),
};
type ViewPage = Page<keyof typeof VIEW>;

/** Recording of a list. The day is empty if the row states none. */
export interface Video {
  readonly id: number;
  readonly day: string;
  readonly title: string;
  /** Name of the list that has it; null for a view without lists. */
  readonly list: string | null;
}

interface ReadView {
  readonly videos: readonly Video[];
  /** Reasons why lists or pages could not be read. */
  readonly unread: readonly string[];
}

/** Maximum pages of one list. */
const MAX_PAGES = 200;

/**
 * Reads a view and its lists; of the address of a single list that one. `firstDay` returns the day from which a list is
 * read, from the days of its first page.
 */
export async function readView(
  web: WebReader,
  address: string,
  firstDay: (days: readonly string[]) => string | null,
): Promise<ReadView> {
  const view = await readPage(web, address, VIEW);
  const tabs = readTabs(view);
  if (view.found.tables.length + view.found.links.length + tabs.length === 0)
    throw new SourceUnavailable('the page is no view of recordings: it has neither a list nor links to lists');
  const activeTab = tabs.find(({ isActive }) => isActive);
  const isSingleList = LIST.test(new URL(address).pathname);
  const others = isSingleList ? [] : tabs.filter((tab) => tab !== activeTab && !LIVE.test(tab.address));
  const videos: Video[] = [];
  const unread: string[] = [];
  for (const tab of [activeTab ?? { name: null, address }, ...others]) {
    try {
      const page = others.includes(tab as Tab) ? await readPage(web, tab.address, VIEW) : view;
      for await (const recordings of readListPages(web, { page, name: tab.name, firstDay })) videos.push(...recordings);
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      unread.push(`the list ${tab.name ?? tab.address}: ${error.message}`);
    }
  }
  return { videos, unread };
}

interface Tab {
  readonly name: string | null;
  readonly address: string;
  readonly isActive: boolean;
}

const isTab = withTag('li');
const isRow = withTag('tr', 'li');
const isCell = withTag('td');
const LIST = /\/views\/[\w-]{1,40}\/[\w%.-]{1,200}$/;
const LIVE = /\/live$/i;

/** The lists of a view: `/views/561/board-of-directors-archive`, in the navigation. */
function readTabs({ address, found }: ViewPage): readonly Tab[] {
  return found.tabs.flatMap((link) => {
    const target = URL.parse(link.attribute('href')!, address);
    if (target === null || target.search !== '' || !LIST.test(target.pathname)) return [];
    const item = link.around(isTab);
    if (item === null) return [];
    return [{ name: link.text(), address: target.href, isActive: /\bactive\b/.test(item.attribute('class') ?? '') }];
  });
}

interface VideoList {
  /** Its first page. */
  readonly page: ViewPage;
  readonly name: string | null;
  readonly firstDay: (days: readonly string[]) => string | null;
}

/**
 * Reads the pages of a list until its recordings are older than the first day. A page without a new recording ends the
 * list: a cache that ignores the number repeats it.
 */
async function* readListPages(web: WebReader, list: VideoList): AsyncGenerator<readonly Video[]> {
  const knownIds = new Set<number>();
  let { page } = list;
  let from: string | undefined;
  for (let number = 1; number <= MAX_PAGES; number += 1) {
    const videos = await runInTurns(readVideosInSteps(page, list.name));
    if (videos.every(({ id }) => knownIds.has(id))) return;
    for (const { id } of videos) knownIds.add(id);
    yield videos;
    if (page.found.links.length > MAX_LINKS)
      throw new SourceUnavailable(`a page has more than ${MAX_LINKS} links to recordings; the others are not read`);
    from ??= list.firstDay(videos.map(({ day }) => day)) ?? '';
    const next = nextPage(page);
    if (next === null || oldestOf(videos) < from) return;
    page = await readPage(web, next, VIEW);
  }
  throw new SourceUnavailable(`it has more than ${MAX_PAGES} pages; the others are not read`);
}

const oldestOf = (videos: readonly Video[]): string =>
  videos.reduce((oldest, { day }) => (day !== '' && day < oldest ? day : oldest), '9999');

function nextPage({ address, found }: ViewPage): string | null {
  const target = URL.parse(found.next[0]?.attribute('href') ?? '', address);
  return target?.searchParams.has('page') === true ? target.href : null;
}

/** Maximum links to recordings that are read from one page. */
const MAX_LINKS = 5_000;
/** Maximum cells of a row that are read. */
const CELLS = 8;

/** The rows of the table, or of another layout all links to recordings in rows with a day. */
function* readVideosInSteps({ found }: ViewPage, list: string | null): Steps<readonly Video[]> {
  const videos = new Map<number, Video>();
  for (const link of found.links.slice(0, MAX_LINKS)) {
    yield;
    const id = Number(RECORDING.exec(link.attribute('href')!)![1]);
    const title = link.text();
    if (title === null || videos.has(id)) continue;
    videos.set(id, { id, title, list, day: dayBeside(link, title) });
  }
  return [...videos.values()];
}

/** The day in the cells behind the title, else in the row or the title. */
function dayBeside(link: PageElement, title: string): string {
  const row = link.around(isRow);
  const cells = row?.all(isCell, CELLS).map((cell) => cell.text() ?? '') ?? [];
  const texts = [...cells.slice(1), row?.text() ?? '', title];
  return texts.flatMap((text) => dayInTitle(text) ?? []).at(0) ?? '';
}
