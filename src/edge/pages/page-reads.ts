import type { CoverageInput, RecentHitsInput, UpcomingHitsInput } from '../../../contract/inputs.ts';
import type { AgendaItem } from '../../../contract/tools/get-agenda-item.ts';
import type { SearchAgendaData, SearchAgendaInput } from '../../../contract/tools/search-agenda.ts';
import type { ListedHit } from '../../../queries/agenda/agenda-hits.ts';
import type { PublishedCadence } from '../../../queries/agenda/get-public-body-cadence.ts';
import type { FeedItemsInput } from '../../../queries/agenda/read-feed-items.ts';
import type { CoveredTopic } from '../../../queries/agenda/list-covered-topics.ts';
import type { CoveragePage } from '../../../queries/coverage/list-dfw-research-coverage.ts';
import type { CoveredSource } from '../../../queries/coverage/list-public-source-statuses.ts';
import type { FoundDocument } from '../../../queries/search/search-documents.ts';
import type { MeetingItems, MeetingItemsInput } from '../../../queries/meetings/read-meeting-items.ts';
import type { MeetingFacts, MeetingsInput } from '../../../queries/meetings/read-meetings.ts';
import type { Place } from '../../../queries/meetings/read-place.ts';
import type { RecordData } from '../../../domain/records/resources.ts';

interface PeopleOfPlaces {
  readonly placesRead: number;
  readonly peopleRead: number;
  readonly people: number;
  readonly years: readonly number[];
}

export interface PeopleRead {
  readonly municipalities: PeopleOfPlaces;
  readonly counties: PeopleOfPlaces;
}

interface Choice {
  readonly slug: string;
  readonly name: string;
}

/** Reads for the pages: the functions of the public operations and tools, and reads of meetings. Ids are uuids. */
export interface PageReads {
  readonly coveredTopics: () => Promise<readonly CoveredTopic[]>;
  readonly publishedCadences: () => Promise<readonly PublishedCadence[]>;
  readonly coveredSources: () => Promise<readonly CoveredSource[]>;
  /** People of the places with a source that was read, also of those that were added for the feed only. */
  readonly peopleRead: () => Promise<PeopleRead>;
  readonly researchCoverage: (input: CoverageInput) => Promise<CoveragePage>;
  /** Returns up to `limit` hits of each topic. */
  readonly nextHits: (limit: number) => Promise<readonly ListedHit[]>;
  readonly recentHits: (input: RecentHitsInput) => Promise<readonly ListedHit[]>;
  readonly feedItems: (input: FeedItemsInput) => Promise<readonly ListedHit[]>;
  readonly upcomingHits: (
    input: UpcomingHitsInput,
  ) => Promise<{ readonly hits: readonly ListedHit[]; readonly nextCursor: string | null; readonly total: number }>;
  readonly place: (jurisdictionSlug: string) => Promise<Place | null>;
  readonly meetings: {
    readonly ofBodies: (input: MeetingsInput) => Promise<readonly MeetingFacts[]>;
    readonly byId: (meetingId: string) => Promise<MeetingFacts | null>;
    readonly ofItem: (itemId: string) => Promise<MeetingFacts | null>;
    readonly recentlyChanged: (limit: number) => Promise<readonly MeetingFacts[]>;
  };
  readonly meetingItems: (meetingId: string, input: MeetingItemsInput) => Promise<MeetingItems>;
  readonly meetingDocuments: (meetingId: string) => Promise<readonly RecordData<'documents'>[]>;
  readonly item: (itemId: string) => Promise<AgendaItem | null>;
  /** Returns the time of the first version of hits, by id. */
  readonly hitCreations: (hitIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns the time of the last change of items, by id, without unknown ones. */
  readonly itemChanges: (itemIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns the filters of a search, by name: the jurisdictions and topics that `get_coverage` lists. */
  readonly searchChoices: () => Promise<{ readonly places: readonly Choice[]; readonly topics: readonly Choice[] }>;
  /** `address` is the client's. Throws a `Rejection` for a cursor of another search, and if too many searches wait. */
  readonly search: (input: SearchAgendaInput, address: string) => Promise<SearchAgendaData>;
  /** Returns meetings whose agendas in files contain the words of a search. Throws a `Rejection` like `search`. */
  readonly searchDocuments: (input: SearchAgendaInput, address: string) => Promise<readonly FoundDocument[]>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Address for corrections, as a link. */
  readonly contact: string | null;
}
