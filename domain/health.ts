import type { RecordData } from './records/resources.ts';
import { HOUR_MS } from './durations.ts';

export type SourceStatus = RecordData<'sources'>['status'];

const STALE_AFTER_MS = 48 * HOUR_MS;

/** A source's status at a moment: `stale` is derived for a healthy one whose last success is too long ago. Times in milliseconds. */
export const sourceStatusAt = (status: SourceStatus, succeededAt: number | null, now: number): SourceStatus =>
  status === 'healthy' && succeededAt !== null && succeededAt < now - STALE_AFTER_MS ? 'stale' : status;

/** The parts that health checks separately, in the order of its answer. Without the log or the feed the service is `unavailable`. */
export const HEALTH_PARTS = ['log', 'feed', 'sources', 'projections', 'reactors'] as const;
export type HealthPart = (typeof HEALTH_PARTS)[number];

/** Of this program, as `package.json` has it. */
export const SOFTWARE_VERSION = '1.0.0';
