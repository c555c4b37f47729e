import type { RecordChange, RecordWriter } from '../../commands/records/write-records.ts';
import type { SourcePlace } from '../../domain/events/source-events.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { DocumentReader, StoredDocuments } from '../../domain/ports/documents.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { PublishedRecords } from '../../domain/ports/projection.ts';
import type { RecordContent, RecordData, Resource } from '../../domain/records/resources.ts';

/** Option of platforms whose pages or documents are read. Published APIs have no robots.txt. */
export const IGNORE_ROBOTS = [
  '--ignore-robots',
  'read pages and documents that robots.txt excludes, because the site permits it',
] as const;

/**
 * A platform that publishes records, as `sources sync` shows it. A client is what one sync reads and what `CIVIC_POLL`
 * names.
 */
export interface Source {
  readonly description: string;
  /** Meaning of `--client`. */
  readonly client: string;
  readonly options: readonly (readonly [flags: string, meaning: string])[];
  /** Options that an added source keeps, such as the lists of a site that are read. */
  readonly ownOptions?: readonly (readonly [flags: string, meaning: string])[];
  /** Throws `SyncRefused` for options that exclude each other. */
  readonly check?: (options: SourceOptions) => void;
}

/** Values of options by their names, such as `baseUrl`; a poll has none. */
type SourceOptions = Readonly<Record<string, string | undefined>>;

export interface SyncRequest {
  readonly client: string;
  readonly options: SourceOptions;
  /** The place of an added source. */
  readonly place?: SourcePlace | undefined;
  /** A token that the source requires for this client. */
  readonly token?: string | undefined;
  readonly progress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Number of meetings that are read in full, closest to today; the others as they are listed. All if absent. */
  readonly limit?: number | undefined;
}

export type ProbeRequest = Omit<SyncRequest, 'progress'>;

export interface SyncTarget {
  readonly writer: RecordWriter;
  readonly known: PublishedRecords;
  readonly clock: Clock;
  /** Reads and stores documents; absent if agendas in files are not read. */
  readonly documents?: { readonly reader: DocumentReader; readonly stored: StoredDocuments };
}

/** Facts about a client, from few requests. Days are local dates `YYYY-MM-DD`, of the last year or later. */
export interface SourceSurvey {
  /** Names of the bodies. */
  readonly bodies: readonly string[];
  readonly newestMeeting: string | null;
  readonly newestAgenda: string | null;
  /** Form of the newest agenda, such as `pdf`; null if its address shows none. */
  readonly agendaForm: string | null;
}

/** Reads the survey of a client of the named platform. */
export type SurveyClient = (source: string, request: ProbeRequest) => Promise<SourceSurvey>;

/** Access to one platform. */
export interface Connector {
  readonly sync: Sync;
  /** Checks that a client can be read. Throws `UnknownSourceClient` or `SourceUnavailable`. */
  readonly probe: (request: ProbeRequest, clock: Clock) => Promise<unknown>;
  /** Reads what the client publishes, without its agendas. Throws as `probe` does. */
  readonly survey: (request: ProbeRequest, clock: Clock) => Promise<SourceSurvey>;
  /** The published records of a client, in the order of their removal. */
  readonly records: (
    request: Pick<SyncRequest, 'client' | 'place'>,
    known: PublishedRecords,
  ) => Promise<readonly OwnRecord[]>;
  /** The `sources` records of a client that are published. */
  readonly checks: (
    request: Pick<SyncRequest, 'client' | 'place'>,
    known: PublishedRecords,
  ) => Promise<readonly RecordData<'sources'>[]>;
}

/** A record that the sync of a client has written. */
export interface OwnRecord {
  readonly resource: Resource;
  readonly id: string;
}

/** Reads one client and writes its records. Throws `SyncRefused`; a source that fails is in the report's `failure`. */
type Sync = (request: SyncRequest, target: SyncTarget) => Promise<SyncReport>;

/** A row that was left out or published incompletely. */
export interface Finding {
  readonly what: string;
  readonly id: string | null;
  readonly reason: string;
  /** Public address of the row, where one is known. */
  readonly address?: string;
  /** True if the source itself does not publish it. */
  readonly isIntended?: true;
}

export interface SyncReport {
  readonly client: string;
  /** Keyed by kind. */
  readonly read: Readonly<Record<string, number>>;
  /** Changes that became events, including removals. */
  readonly appended: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly rejected: readonly { readonly resource: string; readonly id: string; readonly reason: string }[];
  /** Rows that were left out, with the source's own id where it could be read. */
  readonly skipped: readonly Finding[];
  /** Meetings that are published incompletely, such as without a start time, in the form of skipped rows. */
  readonly degraded: readonly Finding[];
  /** Events that are listed but could not be read; none of their records was removed. `skipped` has the reasons. */
  readonly failedEvents: number;
  /** Reason why the source could not be read as a whole; null when it could. */
  readonly failure: string | null;
  /** Ids of the `sources` records that the run checked. */
  readonly sourceIds: readonly string[];
  /** Newest event that this run appended; null when it appended none. */
  readonly position: Position | null;
}

/** Number of rows that have findings; a row can have several. */
export const countRows = (findings: readonly Finding[]): number =>
  new Set(findings.map(({ what, id }, index) => (id === null ? index : `${what} ${id}`))).size;

/** Begins the reason of an event that could not be read. */
export const FAILED_EVENT = 'could not be read: ';

/** A request that cannot be carried out; the message contains the remedy. */
export class SyncRefused extends Error {
  override readonly name = 'SyncRefused';
}

export const upsert = <R extends Resource>(resource: R, id: string, content: RecordContent<R>): RecordChange => ({
  op: 'upsert',
  resource,
  id,
  content,
});
