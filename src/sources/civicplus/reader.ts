import type { Clock } from '../../../domain/ports/clock.ts';
import { type AgendaReader, SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { DAY_MS } from '../../../domain/durations.ts';
import { runInTurns } from '../../../domain/text/steps.ts';
import { bodyNameIn, derivedNumber, type ListedEvent, listedReader } from '../listed/listed-reader.ts';
import { bodyOfPapers, bodyOfTitle } from '../pages/body-words.ts';
import { paperEvents } from '../pages/paper-events.ts';
import { readPage } from '../pages/read-page.ts';
import { withoutDays } from '../pages/title-days.ts';
import {
  AGENDA_LIST,
  type AgendaRow,
  type Category,
  isAgendaList,
  readAgendaRowsInSteps,
  readCategoriesInSteps,
  readLabels,
} from './agenda-list.ts';
import { readHtmlAgenda } from './html-agenda.ts';
import { selectCategories } from './categories.ts';

/** The list of a new year replaces that of the last one, whose minutes follow later. */
const LATE_MINUTES_MS = 60 * DAY_MS;

export interface AgendaCenter {
  readonly web: WebReader;
  /** Address of the site, without a slash at its end. */
  readonly site: string;
  /** Names or ids of categories, separated by commas; undefined for all. */
  readonly category: string | undefined;
  /** Local date from which all years are read; undefined for the years that the site shows first. */
  readonly since: string | undefined;
  readonly clock: Clock;
}

/** Reads an AgendaCenter. Its list states no times: they are in the agendas themselves. */
export function civicPlusReader({ web, site, category, since, clock }: AgendaCenter): AgendaReader {
  const firstYear = (since ?? new Date(clock.now() - LATE_MINUTES_MS).toISOString()).slice(0, 4);
  /** Addresses of agendas that are pages. */
  const pages = new Map<unknown, unknown>();
  return listedReader({
    platform: { sourceType: 'other', label: 'CivicPlus AgendaCenter', readsAgendaFiles: true },
    listedFrom: () => `${firstYear}-01-01`,
    list: async () => {
      const home = await readHome(web, `${site}/AgendaCenter`);
      const selected = selectCategories(category, home.all);
      const categories = home.categories.filter(({ id }) => selected.has(id));
      const { rows, unread } = await readLists(web, home, listsToRead(categories, Number(firstYear)));
      const events = eventsOf(categories, { rows, address: home.address });
      for (const event of events) if ('EventAgendaHtml' in event) pages.set(event.EventId, event.EventAgendaHtml);
      return [...events, ...unread.map((reason) => ({ EventId: undefined, EventUnread: reason }))];
    },
    eventItems: async (eventId) => {
      const page = pages.get(eventId);
      return typeof page === 'string' ? readHtmlAgenda(web, page, eventId) : [];
    },
  });
}

/** Returns the rows of the first page and of other lists, and why some could not be read. */
async function readLists(web: WebReader, home: Awaited<ReturnType<typeof readHome>>, lists: readonly YearList[]) {
  const rows = [...home.rows];
  const unread: string[] = [];
  if (rows.some(({ categoryId }) => categoryId === 0)) unread.push('the page has agendas outside of its categories');
  for (const { id, name, year } of lists) {
    const list = await tryReadYear(web, home.address, { id, year });
    if (typeof list === 'string') unread.push(`the list of ${year} of ${name ?? `category ${id}`}: ${list}`);
    else rows.push(...list);
  }
  return { rows, unread };
}

async function readHome(web: WebReader, address: string) {
  const page = await readPage(web, address, AGENDA_LIST);
  if (!isAgendaList(page.found)) throw new SourceUnavailable('the page is no AgendaCenter: it has no list of agendas');
  const categories = await runInTurns(readCategoriesInSteps(page.found));
  const categoryIds = new Set(categories.map(({ id }) => id));
  return {
    address: page.address,
    categories,
    /** Categories without agendas too. */
    all: [...categories, ...readLabels(page.found).filter(({ id }) => !categoryIds.has(id))],
    rows: await runInTurns(readAgendaRowsInSteps(page.found, page.address)),
  };
}

type YearList = Pick<Category, 'id' | 'name'> & { readonly year: number };

/** The lists that the first page does not show. */
const listsToRead = (categories: readonly Category[], firstYear: number): readonly YearList[] =>
  categories.flatMap(({ id, name, years, shownYear }) =>
    years.filter((year) => year >= firstYear && year !== shownYear).map((year) => ({ id, name, year })),
  );

/**
 * Returns the rows of a year, or why they cannot be read. A category without agendas, and an error, answer with a whole
 * page.
 */
async function tryReadYear(
  web: WebReader,
  home: string,
  { id, year }: Pick<YearList, 'id' | 'year'>,
): Promise<readonly AgendaRow[] | string> {
  const query = `year=${year}&catID=${id}&term=&prevVersionScreen=false`;
  const address = new URL(`AgendaCenter/UpdateCategoryList?${query}`, home).href;
  try {
    const page = await readPage(web, address, AGENDA_LIST, { year: String(year), catID: String(id) });
    const rows = await runInTurns(readAgendaRowsInSteps(page.found, page.address));
    const own = rows.filter(({ categoryId }) => categoryId === id);
    return own.length > 0 ? own : 'the answer has no agendas of it';
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return error.message;
  }
}

interface Body {
  readonly id: number;
  readonly name: string;
  /** Reason why the meetings belong to no body. */
  readonly unplaced?: string;
}

/**
 * Returns the body of a row. Lists of agendas, of packets and of minutes with one name belong to one body. If the list
 * names no body, the title might.
 */
function bodyFinder(categories: readonly Category[]): (row: AgendaRow) => Body | null {
  const named = categories.map(({ id, name }) => ({ id, list: name ?? '', name: bodyOfPapers(name ?? '') }));
  const bodies = new Map<string, Body>();
  for (const { id, name } of named.toSorted((left, right) => left.id - right.id))
    if (name !== null && !bodies.has(name.toLowerCase())) bodies.set(name.toLowerCase(), { id, name });
  const ofName = (name: string): Body =>
    bodies.get(name.toLowerCase()) ?? { id: derivedNumber(name.toLowerCase()), name };
  const byCategory = new Map(named.map((category) => [category.id, category]));
  return ({ categoryId, title }) => {
    const category = byCategory.get(categoryId);
    if (category === undefined) return null;
    const name = category.name ?? bodyOfTitle(withoutDays(bodyNameIn(title)));
    if (name !== null) return ofName(name);
    const unplaced = `its list "${category.list}" and its title name no body`;
    return { id: category.id, name: category.list, unplaced };
  };
}

function eventsOf(
  categories: readonly Category[],
  { rows, address }: { readonly rows: readonly AgendaRow[]; readonly address: string },
): readonly ListedEvent[] {
  const bodyOf = bodyFinder(categories);
  const placed = rows.flatMap((row) => {
    const body = bodyOf(row);
    return body === null ? [] : [{ row, body }];
  });
  const byBody = Map.groupBy(placed, ({ body }) => `${body.id} ${body.unplaced !== undefined}`);
  return [...byBody.values()].flatMap((ofBody) => {
    const { unplaced, ...body } = ofBody[0]!.body;
    const events = paperEvents({ body, rows: ofBody.map(({ row }) => row), list: address });
    return unplaced === undefined
      ? events
      : events.map((event) => ({ ...event, EventHidden: unplaced, EventUnplaced: true }));
  });
}
