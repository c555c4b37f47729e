import { createHash } from 'node:crypto';
import { type AgendaDocument, unread } from '../../../../domain/agenda-text/read-agenda.ts';
import { AGENDA_TEXT_VERSION } from '../../../../domain/agenda-text/reading-version.ts';
import { DAY_MS, HOUR_MS } from '../../../../domain/durations.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { DocumentVersion, StoredDocument, StoredDocuments } from '../../../../domain/ports/documents.ts';
import { SourceUnavailable } from '../../../../domain/ports/source-ports.ts';
import type { WebFile, WebReader } from '../../../../domain/ports/web-reader.ts';
import type { SyncTarget } from '../../source.ts';

type DocumentPorts = NonNullable<SyncTarget['documents']>;

/** The agenda of an event in a file, as it was read now or before. */
export interface ReadFile {
  /** The newest version that the address served; null if none was ever read. */
  readonly version: (DocumentVersion & Pick<StoredDocument, 'recordIds' | 'meetingIds'>) | null;
  /** Reason why the file could not be read now; null if it could. */
  readonly failure: string | null;
  /** True if a later sync reads the file. */
  readonly isWaiting?: true;
}

export interface FileRequest {
  readonly address: string;
  /** True if the day of the meeting is over. */
  readonly isPast: boolean;
  /** True if the file is requested even if it was requested recently. */
  readonly isForced: boolean;
}

/**
 * Files of past meetings that one sync reads for the first time, or again by new rules: the first sync of a source has
 * an end, and the next ones read the others.
 */
export const MAX_OLD_FILES = 100;
/** Maximum bytes of an address that can be stored. */
const MAX_ADDRESS = 2_000;
/** Maximum characters of the stored items of an agenda, so that a row fits into a line of a backup. */
const MAX_AGENDA = 1_500_000;

const NOT_LINKED = { recordIds: [], meetingIds: [] };

/** Time before an unchanged file is requested again, with and without a validator of the server. */
const AGAIN_AFTER = {
  upcoming: { validated: 0, plain: 2 * HOUR_MS },
  past: { validated: DAY_MS, plain: 7 * DAY_MS },
} as const;

/** True if the document has items, or is the notice that the meeting is canceled. */
export const isDivided = ({ reason, status }: AgendaDocument): boolean =>
  reason === undefined || status === 'cancelled';

/** True for a document that was opened. A web page without items is probably sent in place of the file. */
export const isDocument = ({ agenda, mediaType }: Pick<DocumentVersion, 'agenda' | 'mediaType'>): boolean =>
  isDivided(agenda) || (agenda.textEvidence !== null && mediaType?.startsWith('application/') === true);

function isFresh(stored: StoredDocument, { isPast, isForced }: FileRequest, now: number): boolean {
  if (isForced || !isDocument(stored) || stored.readingVersion !== AGENDA_TEXT_VERSION) return false;
  const { validated, plain } = AGAIN_AFTER[isPast ? 'past' : 'upcoming'];
  return now - stored.checkedAt < (Object.keys(stored.validator).length > 0 ? validated : plain);
}

function bounded(agenda: AgendaDocument): AgendaDocument {
  const { length } = JSON.stringify(agenda);
  return length <= MAX_AGENDA ? agenda : unread(`has items of more than ${MAX_AGENDA} characters`);
}

/**
 * Reads the agendas of one source from files, one after another, so that memory contains one document of a source. A
 * file is requested with its validator, and is parsed only if its content or the rules have changed.
 */
export class AgendaFiles {
  readonly #web: WebReader;
  readonly #ports: DocumentPorts;
  readonly #clock: Pick<Clock, 'now'>;
  /** True if files of past meetings wait for a later sync. */
  hasWaiting = false;
  #oldFiles = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(web: WebReader, ports: DocumentPorts, clock: Pick<Clock, 'now'>) {
    this.#web = web;
    this.#ports = ports;
    this.#clock = clock;
  }

  read(request: FileRequest): Promise<ReadFile> {
    const reading = this.#last.then(() => this.#read(request));
    this.#last = reading.catch(() => undefined);
    return reading;
  }

  /** Notes the records that are published from a version, and a meeting that shows it. */
  async link(
    { sha256, recordIds, meetingIds }: NonNullable<ReadFile['version']>,
    published: Parameters<StoredDocuments['link']>[1],
  ): Promise<void> {
    const known = new Set(recordIds);
    const isKnown = meetingIds.includes(published.meetingId) && published.recordIds.every((id) => known.has(id));
    if (!isKnown) await this.#ports.stored.link(sha256, published);
  }

  async #read(request: FileRequest): Promise<ReadFile> {
    const { address } = request;
    if (Buffer.byteLength(address) > MAX_ADDRESS)
      return { version: null, failure: `its address is longer than ${MAX_ADDRESS} bytes` };
    const stored = await this.#ports.stored.find(address);
    if (stored !== null && isFresh(stored, request, this.#clock.now())) return { version: stored, failure: null };
    const isCurrent = stored?.readingVersion === AGENDA_TEXT_VERSION;
    const isOld = request.isPast && !request.isForced && !isCurrent;
    if (isOld && this.#oldFiles >= MAX_OLD_FILES) {
      this.hasWaiting = true;
      return { version: stored, failure: null, isWaiting: true };
    }
    try {
      const file = await this.#web.file(address, isCurrent ? stored.validator : {});
      if (isOld) this.#oldFiles += 1;
      return { version: await this.#accept(address, file, stored, isCurrent), failure: null };
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      return { version: stored, failure: error.message };
    }
  }

  async #accept(address: string, file: WebFile | null, stored: StoredDocument | null, isCurrent: boolean) {
    const checkedAt = this.#clock.now();
    if (file === null) {
      if (stored === null)
        throw new SourceUnavailable('the server answered "not modified" although no version is stored');
      await this.#ports.stored.confirm(address, { validator: stored.validator, checkedAt });
      return stored;
    }
    const { bytes, mediaType: statedType, validator } = file;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (isCurrent && stored?.sha256 === sha256) {
      await this.#ports.stored.confirm(address, { validator, checkedAt });
      return stored;
    }
    const { agenda, text, mediaType } = await this.#ports.reader.read(bytes, statedType);
    const version = {
      sha256,
      bytes: bytes.byteLength,
      mediaType,
      agenda: bounded(agenda),
      readingVersion: AGENDA_TEXT_VERSION,
    };
    await this.#ports.stored.put(address, { ...version, text, validator, checkedAt });
    const { recordIds, meetingIds } = stored?.sha256 === sha256 ? stored : NOT_LINKED;
    return { ...version, recordIds, meetingIds };
  }
}
