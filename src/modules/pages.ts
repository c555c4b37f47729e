import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import type { SearchAgendaData, SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import { createReadNextHits, createReadRecentHits, createReadUpcomingHits } from '../../queries/agenda/agenda-hits.ts';
import { createListPublishedCadences } from '../../queries/agenda/get-public-body-cadence.ts';
import { createListCoveredTopics } from '../../queries/agenda/list-covered-topics.ts';
import { listDfwResearchCoverage } from '../../queries/coverage/list-dfw-research-coverage.ts';
import { createListCoveredSources } from '../../queries/coverage/list-public-source-statuses.ts';
import { createReadCivicRecords } from '../../queries/feed/published-records.ts';
import { createReadMeetingDocuments, createReadMeetingItems } from '../../queries/meetings/read-meeting-items.ts';
import { createWithMeetingTimes } from '../../queries/meetings/read-meeting-times.ts';
import { createReadMeetings } from '../../queries/meetings/read-meetings.ts';
import { createReadPlace } from '../../queries/meetings/read-place.ts';
import type { PageReads } from '../edge/pages/page-reads.ts';
import type { Platform } from '../platform.ts';
import { COVERED_BODIES } from '../sources/catalogue/catalogue-records.ts';
import { COVERAGE_CATALOGUE } from '../sources/coverage/coverage-catalogue.ts';

/** As much as an account may be sent. */
const MAX_BYTES = 5_000_000;

interface Searches {
  readonly getAgendaItem: (itemId: string) => Promise<AgendaItem | null>;
  readonly searchPages: (input: SearchAgendaInput) => Promise<SearchAgendaData>;
}

/** Pages for people: they show what the public operations and the tools read. */
export function pages(
  { settings, reads, clock, database }: Platform,
  { getAgendaItem, searchPages }: Searches,
): { readonly pages: PageReads } {
  const listCoveredSources = createListCoveredSources({ reads, clock });
  const readCivicRecords = createReadCivicRecords(reads, database.columns);
  const itemChanges = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const { text } = await readCivicRecords({ requests: [{ resource: 'agenda_items', ids }], maxResponseBytes: MAX_BYTES });
    const { data } = JSON.parse(text) as { data: { items: readonly { id: string; changedAt: string }[] } };
    return new Map(data.items.map(({ id, changedAt }) => [id, changedAt]));
  };
  const withTimes = createWithMeetingTimes(reads);
  const nextHits = createReadNextHits({ reads, clock });
  const recentHits = createReadRecentHits({ reads, clock });
  const upcomingHits = createReadUpcomingHits({ reads, clock });
  return {
    pages: {
      coveredTopics: createListCoveredTopics(reads),
      publishedCadences: createListPublishedCadences({ reads, pairs: COVERED_BODIES }),
      coveredSources: () => listCoveredSources({}, { alsoRead: false }),
      researchCoverage: (input) => listDfwResearchCoverage(COVERAGE_CATALOGUE, input),
      nextHits: async (limit) => withTimes(await nextHits(limit)),
      recentHits: async (input) => withTimes(await recentHits(input)),
      upcomingHits: async (input) => {
        const found = await upcomingHits(input);
        return { ...found, hits: await withTimes(found.hits) };
      },
      place: createReadPlace({ reads, clock }),
      meetings: createReadMeetings({ reads, clock }),
      meetingItems: createReadMeetingItems(reads),
      meetingDocuments: createReadMeetingDocuments(reads),
      item: getAgendaItem,
      itemChanges,
      search: async (input) => {
        const found = await searchPages(input);
        return { ...found, results: await withTimes(found.results) };
      },
      now: () => clock.now(),
      contact: settings.CIVIC_CONTACT ?? null,
    },
  };
}
