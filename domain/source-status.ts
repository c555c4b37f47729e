import type { RecordData } from './records/resources.ts';

export type SourceStatus = RecordData<'sources'>['status'];

const STALE_AFTER_MS = 48 * 3_600_000;

/** A source's status at a moment: `stale` is derived for a healthy one whose last success is too long ago. Times in milliseconds. */
export const sourceStatusAt = (status: SourceStatus, succeededAt: number | null, now: number): SourceStatus =>
  status === 'healthy' && succeededAt !== null && succeededAt < now - STALE_AFTER_MS ? 'stale' : status;
