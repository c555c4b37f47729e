import { SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { FAILED_EVENT } from '../source.ts';
import type { Skipped } from './rows.ts';

const WHOLE_CLIENT = '';

type TextEvidence = NonNullable<RecordData<'sources'>['agendaTextEvidence']>;

/** Number of the newest agendas of a source that decide if its agendas can be read as text. */
const NEWEST_AGENDAS = 10;

interface CountsOfSource {
  skipped: number;
  degraded: number;
  failed: number;
  firstFailure: string;
}

/** Rows that one run skipped, published incompletely, or could not read, with counts by source. */
export class RunFindings {
  failedEvents = 0;
  readonly skipped: Skipped[] = [];
  readonly degraded: Skipped[] = [];
  readonly #counts = new Map<string, CountsOfSource>();
  readonly #texts = new Map<string, readonly { readonly date: string; readonly evidence: TextEvidence }[]>();

  #countsOf(sourceId: string): CountsOfSource {
    const counts = this.#counts.get(sourceId) ?? { skipped: 0, degraded: 0, failed: 0, firstFailure: '' };
    this.#counts.set(sourceId, counts);
    return counts;
  }

  /** `sourceId` is null for rows that belong to no known source: they count for each. */
  skip(skipped: readonly Skipped[], sourceId: string | null): void {
    for (const row of skipped) this.skipped.push(row);
    this.#countsOf(sourceId ?? WHOLE_CLIENT).skipped += skipped.filter(({ isIntended }) => isIntended !== true).length;
  }

  /** Counts the event once, however many reasons it has. */
  degrade(
    { id, address }: { readonly id: string; readonly address: string | null },
    sourceId: string,
    reasons: readonly (string | null)[],
  ): void {
    const causes = reasons.filter((reason) => reason !== null);
    for (const reason of causes)
      this.degraded.push({ what: 'event', id, reason, ...(address !== null && { address }) });
    if (causes.length > 0) this.#countsOf(sourceId).degraded += 1;
  }

  /** Records a failed event. Rethrows an error that is not `SourceUnavailable`. */
  failEvent(eventId: string, sourceId: string | null, error: unknown): void {
    if (!(error instanceof SourceUnavailable)) throw error;
    this.failedEvents += 1;
    if (sourceId !== null) {
      const counts = this.#countsOf(sourceId);
      counts.failed += 1;
      counts.firstFailure ||= error.message;
    }
    this.skip([{ what: 'event', id: eventId, reason: `${FAILED_EVENT}${error.message}` }], sourceId);
  }

  /** Notes if the agenda of a meeting can be read as text. */
  noteText(sourceId: string, date: string, evidence: TextEvidence): void {
    const noted = [...(this.#texts.get(sourceId) ?? []), { date, evidence }];
    const newest = noted.toSorted((left, right) => (left.date < right.date ? 1 : -1)).slice(0, NEWEST_AGENDAS);
    this.#texts.set(sourceId, newest);
  }

  /** `readable` if one of the newest agendas of a source is, else `no_text_layer`; null if none was read. */
  textEvidenceOf(sourceId: string): TextEvidence | null {
    const newest = this.#texts.get(sourceId);
    if (newest === undefined) return null;
    return newest.some(({ evidence }) => evidence === 'readable') ? 'readable' : 'no_text_layer';
  }

  /** Number of skipped rows of a source, including those of the whole client (`shared`), and of incompletely published events. */
  skippedCountsOf(sourceId: string) {
    const { skipped, degraded } = this.#countsOf(sourceId);
    const shared = this.#countsOf(WHOLE_CLIENT).skipped;
    return { skipped: skipped + shared, shared, degraded };
  }

  /** Reason why events of a source could not be read; null if all could. */
  failureOf(sourceId: string): string | null {
    const { failed, firstFailure } = this.#countsOf(sourceId);
    if (failed === 0) return null;
    return failed === 1
      ? `an event could not be read: ${firstFailure}`
      : `${failed} events could not be read, the first one: ${firstFailure}`;
  }
}
