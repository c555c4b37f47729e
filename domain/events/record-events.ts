import { z } from 'zod';
import { dateTime, text } from '../records/fields.ts';

/** On `<resource>-<recordId>`. No upcaster changes published `data`. `RecordWithdrawn` keeps `createdAt` for a record that comes back. */
export const RECORD_PUBLISHED = 'RecordPublished';
export const RECORD_WITHDRAWN = 'RecordWithdrawn';
export const RECORD_EVENT_TYPES = [RECORD_PUBLISHED, RECORD_WITHDRAWN] as const;

/** A published agenda item has `matterName` and `matterStatus` since version 2; both may be absent. */
export const recordVersion = (stream: string, type: string) =>
  type === RECORD_PUBLISHED && stream.startsWith('agenda_items-') ? { schemaVersion: 2 } : { schemaVersion: 1 };

export const recordWithdrawn = z.strictObject({ createdAt: dateTime, reason: text.max(1000).nullable() });
export type RecordWithdrawn = z.output<typeof recordWithdrawn>;
