import type { RecordData } from './records/resources.ts';
import { HOUR_MS } from './durations.ts';

export type SourceStatus = RecordData<'sources'>['status'];

const STALE_AFTER_MS = 48 * HOUR_MS;

/**
 * Returns a source's status at a time: a healthy source becomes `stale` if its last success is too long ago. Times in
 * milliseconds.
 */
export const sourceStatusAt = (status: SourceStatus, succeededAt: number | null, now: number): SourceStatus =>
  status === 'healthy' && succeededAt !== null && succeededAt < now - STALE_AFTER_MS ? 'stale' : status;

/**
 * The parts of the health check, in the order of its answer. Without the log or the feed the service is `unavailable`.
 */
export const HEALTH_PARTS = ['log', 'feed', 'sources', 'projections', 'reactors'] as const;
export type HealthPart = (typeof HEALTH_PARTS)[number];

/** Version in `package.json`. */
export const SOFTWARE_VERSION = '1.0.0';
