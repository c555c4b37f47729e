import { z } from 'zod';
import { dateTime, text } from '../records/fields.ts';

/**
 * Events on a civic record's own stream, `<resource>-<recordId>`.
 *
 * `RecordPublished.data` is the record's `data` exactly as it is published: projections copy its text and upcasters never touch it.
 * `RecordWithdrawn.data` carries the record's first time on, so that a record that comes back keeps its `createdAt`.
 */
export const RECORD_PUBLISHED = 'RecordPublished';
export const RECORD_WITHDRAWN = 'RecordWithdrawn';
export const RECORD_EVENT_TYPES = [RECORD_PUBLISHED, RECORD_WITHDRAWN] as const;

export const recordWithdrawn = z.strictObject({ createdAt: dateTime, reason: text.max(1000).nullable() });
export type RecordWithdrawn = z.output<typeof recordWithdrawn>;
