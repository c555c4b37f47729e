import type { AgendaItem } from '../../../contract/tools/get-agenda-item.ts';
import type { SearchAgendaData, SearchAgendaInput } from '../../../contract/tools/search-agenda.ts';
import {
  createReadNextHits,
  createReadRecentHits,
  createReadUpcomingHits,
} from '../../../queries/agenda/agenda-hits.ts';
import { createReadFeedItems } from '../../../queries/agenda/read-feed-items.ts';
import { createListPublishedCadences } from '../../../queries/agenda/get-public-body-cadence.ts';
import { createListCoveredTopics } from '../../../queries/agenda/list-covered-topics.ts';
import { createListCoveredSources, createListTopics } from '../../../queries/coverage/list-public-source-statuses.ts';
import { createReadCivicRecords } from '../../../queries/feed/read-civic-records.ts';
import { createReadMeetingDocuments, createReadMeetingItems } from '../../../queries/meetings/read-meeting-items.ts';
import { createReadMeetings } from '../../../queries/meetings/read-meetings.ts';
import { createReadPlace } from '../../../queries/meetings/read-place.ts';
import type { PageReads } from '../../edge/pages/page-reads.ts';
import type { Platform } from '../platform.ts';
import { COVERED_BODIES } from '../../sources/catalogue/catalogue-records.ts';
import { listResearchCoverage, peopleOfReadSources } from './coverage.ts';

/** The largest response that an account may receive, in bytes. */
const MAX_BYTES = 5_000_000;

const compareNames = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name.localeCompare(other.name);

interface Searches {
  readonly getAgendaItem: (itemId: string) => Promise<AgendaItem | null>;
  readonly searchPages: (input: SearchAgendaInput, address: string) => Promise<SearchAgendaData>;
  readonly searchDocuments: PageReads['searchDocuments'];
}

/** Reads for the pages for people, which show the data of the public operations and the tools. */
export function pages(
  { settings, reads, clock }: Platform,
  { getAgendaItem, searchPages, searchDocuments }: Searches,
): { readonly pages: PageReads } {
  const listCoveredSources = createListCoveredSources({ reads, clock });
  const readCivicRecords = createReadCivicRecords(reads);
  const readItemChanges = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const { text } = await readCivicRecords({
      requests: [{ resource: 'agenda_items', ids }],
      maxResponseBytes: MAX_BYTES,
    });
    const { data } = JSON.parse(text) as { data: { items: readonly { id: string; changedAt: string }[] } };
    return new Map(data.items.map(({ id, changedAt }) => [id, changedAt]));
  };
  const readHitCreations = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    if (ids.length === 0) return new Map();
    const { text } = await readCivicRecords({
      requests: [{ resource: 'agenda_hits', ids }],
      maxResponseBytes: MAX_BYTES,
    });
    const { data } = JSON.parse(text) as {
      data: { items: readonly { id: string; data: { readonly createdAt: string } }[] };
    };
    return new Map(data.items.map(({ id, data: { createdAt } }) => [id, createdAt]));
  };
  const listTopics = createListTopics({ reads });
  const readSearchChoices = async () => {
    const [sources, topics] = await Promise.all([listCoveredSources({}, { alsoRead: true }), listTopics()]);
    const names = new Map(sources.map(({ jurisdictionSlug, status }) => [jurisdictionSlug, status.jurisdictionName]));
    return {
      places: [...names].map(([slug, name]) => ({ slug, name })).toSorted(compareNames),
      topics: topics
        .map(({ topicSlug, publicLabel }) => ({ slug: topicSlug, name: publicLabel }))
        .toSorted(compareNames),
    };
  };
  return {
    pages: {
      coveredTopics: createListCoveredTopics(reads),
      publishedCadences: createListPublishedCadences({ reads, pairs: COVERED_BODIES }),
      coveredSources: () => listCoveredSources({}, { alsoRead: false }),
      peopleRead: async () => peopleOfReadSources(await listCoveredSources({}, { alsoRead: true })),
      researchCoverage: listResearchCoverage,
      nextHits: createReadNextHits({ reads, clock }),
      recentHits: createReadRecentHits({ reads, clock }),
      feedItems: createReadFeedItems({ reads, clock }),
      upcomingHits: createReadUpcomingHits({ reads, clock }),
      place: createReadPlace({ reads, clock }),
      meetings: createReadMeetings({ reads, clock }),
      meetingItems: createReadMeetingItems(reads),
      meetingDocuments: createReadMeetingDocuments(reads),
      item: getAgendaItem,
      itemChanges: readItemChanges,
      hitCreations: readHitCreations,
      searchChoices: readSearchChoices,
      search: searchPages,
      searchDocuments,
      now: () => clock.now(),
      contact: settings.CIVIC_CONTACT ?? null,
    },
  };
}
