import type { ToolName } from '../contract/tools/tool-names.ts';
import { CUT_COVERAGE_GUIDANCE } from './coverage-tools.ts';
import { type Fitting, SHORTEST_TEXT } from './fit-payload.ts';
import type { Found, ToolData } from './tool-functions.ts';

/** Where a page that was cut goes on. */
type CursorAfter = Found<unknown>['cursorAfter'];

const asItIs = <Data>(data: Data): Data => data;
/** Absent stays absent. */
const optional = <Name extends string>(name: Name, text: string | undefined, cut: (text: string) => string): { [K in Name]?: string } =>
  (text === undefined ? {} : { [name]: cut(text) }) as { [K in Name]?: string };

const LEFT_OUT =
  'Results that would not have fitted were left out: repeat the search with nextCursor as cursor to go on right after the last one.';

const ONLY_SITE = 'The address of a result is too long: its sourceUrl names only the site.';
const TOO_LARGE = 'Results that are too large to show were left out.';

const siteOf = (address: string): string => `${new URL(address).origin}/`;

const cutPublisher = <Publisher extends ToolData<'get_agenda_item'>['item']['publisher']>(
  publisher: Publisher,
  cut: (text: string) => string,
): Publisher => ({ ...publisher, jurisdiction: cut(publisher.jurisdiction), body: cut(publisher.body) });

/** `leftOut` is the number of rows that were left out before the first one. */
const searchAgenda = (cursorAfter: CursorAfter, leftOut: number): Fitting<ToolData<'search_agenda'>> => ({
  shorten: (data, cut) => ({
    ...data,
    results: data.results.map((result) => ({
      ...result,
      title: cut(result.title),
      excerpt: cut(result.excerpt),
      jurisdiction: cut(result.jurisdiction),
      body: cut(result.body),
      ...optional('matterFile', result.matterFile, cut),
      publisher: cutPublisher(result.publisher, cut),
    })),
  }),
  shortened: asItIs,
  rows: [
    {
      least: 1,
      count: ({ results }) => results.length,
      keep: (data, rows) => ({
        ...data,
        results: data.results.slice(0, rows),
        truncated: true,
        guidance: `${LEFT_OUT} ${data.guidance}`,
        nextCursor: cursorAfter?.(leftOut + rows) ?? data.nextCursor,
      }),
    },
  ],
  otherwise: (data) => {
    const [first, ...rest] = data.results;
    if (first === undefined) return null;
    const sourceUrl = siteOf(first.sourceUrl);
    if (sourceUrl !== first.sourceUrl && sourceUrl.length <= SHORTEST_TEXT) {
      const results = [{ ...first, sourceUrl }, ...rest];
      return { data: { ...data, results, guidance: `${ONLY_SITE} ${data.guidance}` }, fitting: searchAgenda(cursorAfter, leftOut) };
    }
    const guidance = leftOut === 0 ? `${TOO_LARGE} ${data.guidance}` : data.guidance;
    return { data: { ...data, results: rest, truncated: true, guidance }, fitting: searchAgenda(cursorAfter, leftOut + 1) };
  },
});

const withItem = (data: ToolData<'get_agenda_item'>, item: Partial<ToolData<'get_agenda_item'>['item']>): ToolData<'get_agenda_item'> => ({
  item: { ...data.item, ...item },
  truncated: true,
});

const getAgendaItem = (): Fitting<ToolData<'get_agenda_item'>> => ({
  shorten: ({ item, truncated }, cut) => ({
    item: {
      ...item,
      title: cut(item.title),
      ...optional('text', item.text, cut),
      jurisdiction: cut(item.jurisdiction),
      body: cut(item.body),
      ...optional('agendaNumber', item.agendaNumber, cut),
      ...optional('matterFile', item.matterFile, cut),
      publisher: cutPublisher(item.publisher, cut),
      topics: item.topics.map((topic) => ({ ...topic, summary: cut(topic.summary), evidenceQuote: cut(topic.evidenceQuote) })),
      documents: item.documents.map((document) => ({ ...document, title: cut(document.title) })),
    },
    truncated,
  }),
  shortened: (data) => ({ ...data, truncated: true }),
  rows: [
    {
      least: 0,
      count: ({ item }) => item.documents.length,
      keep: (data, rows) => withItem(data, { documents: data.item.documents.slice(0, rows) }),
    },
    {
      least: 0,
      count: ({ item }) => item.topics.length,
      keep: (data, rows) => withItem(data, { topics: data.item.topics.slice(0, rows) }),
    },
  ],
});

const cutCoverage = (
  data: ToolData<'get_coverage'>,
  jurisdictions: ToolData<'get_coverage'>['jurisdictions'],
): ToolData<'get_coverage'> => ({ ...data, jurisdictions, guidance: CUT_COVERAGE_GUIDANCE, truncated: true });

const getCoverage = (): Fitting<ToolData<'get_coverage'>> => ({
  shorten: (data, cut) => ({
    ...data,
    jurisdictions: data.jurisdictions.map((jurisdiction) => ({
      ...jurisdiction,
      sources: jurisdiction.sources.map((source) => ({ ...source, sourceTypeLabel: cut(source.sourceTypeLabel) })),
    })),
    topics: data.topics.map((topic) => ({ ...topic, publicLabel: cut(topic.publicLabel) })),
  }),
  shortened: asItIs,
  rows: [
    {
      least: 1,
      count: ({ jurisdictions }) => jurisdictions.length,
      keep: (data, rows) => cutCoverage(data, data.jurisdictions.slice(0, rows)),
    },
    {
      least: 1,
      count: ({ jurisdictions }) => jurisdictions[0]?.sources.length ?? 0,
      keep: (data, rows) => {
        const [first] = data.jurisdictions;
        return cutCoverage(data, first === undefined ? [] : [{ ...first, sources: first.sources.slice(0, rows) }]);
      },
    },
    {
      least: 0,
      count: ({ topics }) => topics.length,
      keep: (data, rows) => ({ ...data, topics: data.topics.slice(0, rows), truncated: true }),
    },
  ],
});

const getDataCoverage = (cursorAfter: CursorAfter): Fitting<ToolData<'get_data_coverage'>> => ({
  shorten: (data, cut) => ({
    ...data,
    data: data.data.map((jurisdiction) => ({
      ...jurisdiction,
      families: jurisdiction.families.map((family) => ({ ...family, ...optional('note', family.note, cut) })),
    })),
  }),
  shortened: asItIs,
  rows: [
    {
      least: 1,
      count: ({ data }) => data.length,
      keep: ({ data, meta }, rows) => ({
        data: data.slice(0, rows),
        meta: {
          ...meta,
          pagination: { ...meta.pagination, returned: rows, nextCursor: cursorAfter?.(rows) ?? meta.pagination.nextCursor },
        },
        truncated: true,
      }),
    },
  ],
});

const reportMissingData = (): Fitting<ToolData<'report_missing_data'>> => ({ shorten: asItIs, shortened: asItIs, rows: [] });

const getDataReport = (): Fitting<ToolData<'get_data_report'>> => ({
  shorten: (data, cut) => ({
    ...data,
    ...optional('finding', data.finding, cut),
    ...optional('nextAction', data.nextAction, cut),
    verifiedRecords: data.verifiedRecords.map((record) => ({ ...record, ...optional('title', record.title, cut) })),
  }),
  shortened: asItIs,
  rows: [
    {
      least: 0,
      count: ({ verifiedRecords }) => verifiedRecords.length,
      keep: (data, rows) => ({ ...data, verifiedRecords: data.verifiedRecords.slice(0, rows), truncated: true }),
    },
  ],
});

/** What may be taken from the data of each tool, and where a cut page goes on. */
export const FITTINGS: { readonly [Name in ToolName]: (cursorAfter: CursorAfter) => Fitting<ToolData<Name>> } = {
  search_agenda: (cursorAfter) => searchAgenda(cursorAfter, 0),
  get_agenda_item: getAgendaItem,
  get_coverage: getCoverage,
  get_data_coverage: getDataCoverage,
  report_missing_data: reportMissingData,
  get_data_report: getDataReport,
};
