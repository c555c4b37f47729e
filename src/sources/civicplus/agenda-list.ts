import { readDays } from '../../../domain/agenda-text/meeting-days.ts';
import { type Steps } from '../../../domain/text/steps.ts';
import { oneLine } from '../agendas/values.ts';
import type { PaperRow } from '../pages/join-rows.ts';
import { type Found, type Matcher, type PageElement, withAttribute, withClass, withTag } from '../pages/parse-page.ts';
import { linkOn } from '../pages/read-page.ts';

const SECTION = /^section(\d{1,9})$/;
/** The list of a category: `span#section4`. */
const isSection: Matcher = (_tag, { id = '' }) => SECTION.test(id);

/** Elements of an AgendaCenter, in all its layouts and in the fragment for a year. */
export const AGENDA_LIST = {
  center: withAttribute('*', 'id', 'AgendaCenterContent'),
  headings: withTag('h2', 'h3', 'h4'),
  sections: isSection,
  years: (tag: string, { href = '' }: Readonly<Record<string, string | undefined>>) => tag === 'a' && YEAR.test(href),
  rows: withClass('tr', 'catAgendaRow'),
  boxes: (tag: string, { name }: Readonly<Record<string, string | undefined>>) =>
    tag === 'input' && name === 'chkCategoryID',
};
type AgendaList = Found<keyof typeof AGENDA_LIST>;

/** A list of agendas of one body. */
export interface Category {
  readonly id: number;
  /** Null if the page does not name it. */
  readonly name: string | null;
  /** Years that have a list of their own; the page shows one of them. */
  readonly years: readonly number[];
  readonly shownYear: number | null;
}

/** A paper; the day is empty and the id null if the row states none. */
export interface AgendaRow extends Omit<PaperRow, 'id'> {
  readonly id: number | null;
  readonly categoryId: number;
  /** The agenda as a page. */
  readonly html: string | null;
}

/** Link to the list of a year of a category, `javascript:changeYear(2025, 4, 'a1')`. */
const YEAR = /changeYear\((\d{4}), ?(\d{1,9})/;
const isListing = withClass('div', 'listing');
const isCurrent = withClass('li', 'current');
const isStrong = withTag('strong');
const isParagraph = withTag('p');
const isLink = withTag('a');

const FILE = /\/ViewFile\/(Agenda|Minutes)\/_?(\d{2})(\d{2})(\d{4})-(\d{1,12})(\?.*)?$/i;
/** Anchor of a row, `_12212016-471`. */
const ANCHOR = /^_?(\d{2})(\d{2})(\d{4})-(\d{1,12})$/;

const categoryIdOf = (section: PageElement): number => Number(SECTION.exec(section.attribute('id') ?? '')?.[1] ?? 0);

/** True if the page is an AgendaCenter, even one without agendas; a login, an error or a challenge is none. */
export const isAgendaList = ({ center, sections, rows, boxes }: AgendaList): boolean =>
  [center, rows, boxes].some(({ length }) => length > 0) || sections.some((section) => categoryIdOf(section) > 0);

/** Reads the names of all categories from the form of the search, which not every site has. */
export const readLabels = ({ boxes }: AgendaList): readonly { readonly id: number; readonly name: string | null }[] =>
  boxes.map((box) => ({ id: Number(box.attribute('value')), name: box.around(withTag('label'))?.text() ?? null }));

/** Reads the categories that have agendas. */
export function* readCategoriesInSteps(list: AgendaList): Steps<readonly Category[]> {
  const { headings, sections, years } = list;
  const labels = new Map(readLabels(list).map(({ id, name }) => [id, name]));
  const ofLists = headings.filter((heading) => heading.around(isSection) === null);
  const names = new Map(ofLists.map((heading) => [listingOf(heading), nameInHeading(heading.text())]));
  names.delete(undefined);
  const links = Map.groupBy(years, (link) => Number(YEAR.exec(link.attribute('href')!)![2]));
  const categories = new Map<number, Category>();
  for (const section of sections) {
    yield;
    const id = categoryIdOf(section);
    if (id === 0 || categories.has(id)) continue;
    const ofYears = links.get(id) ?? [];
    const currentLink = ofYears.find((link) => link.around(isCurrent) !== null);
    const label = oneLine(ofYears[0]?.attribute('aria-label')?.replace(/ \d{4}$/, ''));
    const name = names.get(listingOf(section)) ?? labels.get(id) ?? label;
    const shownYear = currentLink === undefined ? null : yearOf(currentLink);
    categories.set(id, { id, name, years: [...new Set(ofYears.map(yearOf))], shownYear });
  }
  return [...categories.values()];
}

/** Identity of the listing around an element. */
const listingOf = (element: PageElement): object | undefined => element.around(isListing)?.identity;
const yearOf = (link: PageElement): number => Number(YEAR.exec(link.attribute('href')!)![1]);

/** Reads the text without the arrow before it. */
const nameInHeading = (heading: string | null): string | null => oneLine(heading?.replace(/^[^\p{L}\d(]+/u, ''));

/** Reads the rows of the lists that a page shows. `address` is that of the page. */
export function* readAgendaRowsInSteps({ rows }: AgendaList, address: string): Steps<readonly AgendaRow[]> {
  const agendaRows: AgendaRow[] = [];
  for (const row of rows) {
    yield;
    const section = row.around(isSection);
    agendaRows.push(readAgendaRow(row, section === null ? 0 : categoryIdOf(section), address));
  }
  return agendaRows;
}

function readAgendaRow(row: PageElement, categoryId: number, address: string): AgendaRow {
  const links = row.all(isLink);
  const files = links.flatMap((element) => {
    const link = element.attribute('href') ?? '';
    const [, kind = '', month, day, year, id, query = ''] = FILE.exec(link) ?? [];
    return id === undefined ? [] : [{ kind: kind.toLowerCase(), date: `${year}-${month}-${day}`, id, query, link }];
  });
  const fileOf = (kind: string, query: RegExp): string | null =>
    linkOn(address, files.find((file) => file.kind === kind && query.test(file.query))?.link ?? null);
  const anchors = links.map((link) => ANCHOR.exec(link.attribute('name') ?? link.attribute('id') ?? ''));
  const [, month, day, year, anchorId] = anchors.find((link) => link !== null) ?? [];
  const dateInAddress = files[0]?.date ?? (year === undefined ? '' : `${year}-${month}-${day}`);
  const html = fileOf('agenda', /[?&]html=true/i);
  const id = files[0]?.id ?? anchorId;
  return {
    id: id === undefined ? null : Number(id),
    categoryId,
    day: statedDay(row) ?? dateInAddress,
    title:
      row.first(isParagraph)?.text() ??
      links.find((link) => link.attribute('title') !== null)?.attribute('title') ??
      '',
    agenda: fileOf('agenda', /^(?!.*(?:html|packet)=true)/i) ?? html,
    packet: fileOf('agenda', /[?&]packet=true/i),
    minutes: fileOf('minutes', /^/),
    html,
  };
}

/** The day of the heading, which "Posted" or "Amended" with another day can follow. */
function statedDay(row: PageElement): string | null {
  const day = row.first(isStrong);
  const texts = [day?.attribute('aria-label'), day?.text()];
  return texts.flatMap((text) => readDays(text?.slice(0, 100) ?? '')).at(0)?.date ?? null;
}
