import { z } from 'zod';
import { dateTime, text } from '../records/fields.ts';

/**
 * On the record's own stream, `<resource>-<recordId>`. `RecordPublished.data` is the published `data` itself, which no upcaster changes.
 * `RecordWithdrawn.data` has the record's first time, so that a record that comes back keeps its `createdAt`.
 */
export const RECORD_PUBLISHED = 'RecordPublished';
export const RECORD_WITHDRAWN = 'RecordWithdrawn';
export const RECORD_EVENT_TYPES = [RECORD_PUBLISHED, RECORD_WITHDRAWN] as const;
export const recordWithdrawn = z.strictObject({ createdAt: dateTime, reason: text.max(1000).nullable() });
export type RecordWithdrawn = z.output<typeof recordWithdrawn>;
