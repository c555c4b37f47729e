import type { Clock } from '../../../domain/ports/clock.ts';
import { type AgendaReader, SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import type { ListedEvent } from '../listed/listed-reader.ts';
import { derivedNumber, listedReader } from '../listed/listed-reader.ts';
import { bodyInTitle } from '../pages/body-words.ts';
import type { PaperRow } from '../pages/join-rows.ts';
import { paperEvents } from '../pages/paper-events.ts';
import { type Found, type PageElement, withAttribute, withTag } from '../pages/parse-page.ts';
import { linkOn, readPage } from '../pages/read-page.ts';
import { dayInTitle } from '../pages/title-days.ts';
import { firstRecentDay } from '../pages/recent-years.ts';
import { SyncRefused } from '../source.ts';

const ARCHIVE = {
  links: withAttribute('a', 'href'),
  options: withTag('option'),
  headings: withTag('h1', 'h2', 'h3'),
};
/** Link to a file: `Archive.aspx?ADID=8497` or `/ArchiveCenter/ViewFile/Item/8497`. */
const FILE = /(?:archive\.aspx\?(?:[^#]*&)?adid=|\/archivecenter\/viewfile\/item\/)(\d{1,12})/i;
const LIST = /archive\.aspx\?(?:[^#]*&)?amid=/i;
/** Maximum characters of a title. */
const MAX_TITLE = 300;

export interface ArchiveCenter {
  readonly web: WebReader;
  /** Address of the site, without a slash at its end. */
  readonly site: string;
  /** Ids of lists, separated by commas. */
  readonly amid: string | undefined;
  readonly since: string | undefined;
  readonly clock: Clock;
}

interface ArchiveList {
  readonly address: string;
  readonly body: string;
  readonly rows: readonly PaperRow[];
}

/** Reads lists of an Archive Center. Only titles state days; a file without one is skipped. */
export function civicPlusArchiveReader({ web, site, amid, since, clock }: ArchiveCenter): AgendaReader {
  const ids = requireIds(amid);
  let listedFrom: string | null = null;
  return listedReader({
    platform: { sourceType: 'other', label: 'CivicPlus Archive Center', readsAgendaFiles: true },
    listedFrom: () => listedFrom,
    list: async () => {
      const lists: ArchiveList[] = [];
      for (const id of ids) lists.push(await readList(web, `${site}/Archive.aspx?AMID=${id}`, id));
      const days = lists.flatMap(({ rows }) => rows.map(({ day }) => day));
      const from = since ?? firstRecentDay(days, clock.now());
      listedFrom = from;
      const byBody = Map.groupBy(lists, ({ body }) => body);
      return [...byBody].flatMap(([name, ofBody]) => eventsOf(name, ofBody, from ?? ''));
    },
  });
}

/** Lists of agendas and of minutes with one name belong to one body. */
const eventsOf = (name: string, lists: readonly ArchiveList[], from: string): readonly ListedEvent[] =>
  paperEvents({
    body: { id: derivedNumber(name.toLowerCase()), name },
    rows: lists.flatMap(({ rows }) => rows.filter(({ day }) => day === '' || day >= from)),
    list: lists[0]!.address,
  });

function requireIds(amid: string | undefined): readonly string[] {
  const ids = (amid ?? '').split(',').map((id) => id.trim());
  if (ids.every((id) => /^\d{1,9}$/.test(id))) return [...new Set(ids)];
  throw new SyncRefused('give the lists to read with --amid, such as --amid 53 for Archive.aspx?AMID=53');
}

async function readList(web: WebReader, address: string, id: string): Promise<ArchiveList> {
  const page = await readPage(web, address, ARCHIVE);
  const name = nameOf(page.found, id);
  const links = page.found.links.filter((link) => FILE.test(link.attribute('href')!));
  const isArchive =
    links.length > 0 || name !== null || page.found.links.some((link) => LIST.test(link.attribute('href')!));
  if (!isArchive) throw new SourceUnavailable('the page is no Archive Center: it has no list of files');
  const listName = name ?? `Archive ${id}`;
  const byFile = Map.groupBy(links, (link) => Number(FILE.exec(link.attribute('href')!)![1]));
  const rows = [...byFile].map(([file, ofFile]) => rowOf(file, ofFile, { address: page.address, listName }));
  return { address: page.address, body: bodyInTitle(listName) ?? listName, rows };
}

/** The name of the list: it is an option of the search, and on some sites a heading. */
function nameOf({ options, headings }: Found<keyof typeof ARCHIVE>, id: string): string | null {
  const option = options.find((each) => each.attribute('value') === id)?.text();
  const heading = headings.map((each) => each.text() ?? '').find((text) => /\b(?:agenda|minutes|packet)/i.test(text));
  return option ?? heading ?? null;
}

/** Reads one file, to which several links can lead. The title is the longest text of a link, or that of its row. */
function rowOf(
  id: number,
  links: readonly PageElement[],
  { address, listName }: { readonly address: string; readonly listName: string },
): PaperRow {
  const texts = links.flatMap((link) => link.text()?.slice(0, MAX_TITLE) ?? []);
  const around = links[0]!.around(withTag('li', 'tr'))?.text()?.slice(0, MAX_TITLE) ?? '';
  const own = texts.toSorted((left, right) => right.length - left.length)[0] ?? '';
  const ownDay = dayInTitle(own);
  const day = ownDay ?? dayInTitle(around) ?? '';
  const title = ownDay !== null || around === '' ? own : around;
  const file = linkOn(address, links[0]!.attribute('href'));
  const named = /\b(?:agenda|minutes)\b/i.test(title) ? title : listName;
  const isMinutes = /\bminutes\b/i.test(named) && !/\bagendas?\b/i.test(named);
  return { id, day, title, agenda: isMinutes ? null : file, packet: null, minutes: isMinutes ? file : null };
}
