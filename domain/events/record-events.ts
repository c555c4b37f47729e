import { z } from 'zod';
import { dateTime, text } from '../records/fields.ts';
import { category } from '../streams.ts';

/** On `<resource>-<recordId>`. Published `data` is read as it was stored. `RecordWithdrawn` keeps `createdAt` for a record that comes back. */
export const RECORD_PUBLISHED = 'RecordPublished';
export const RECORD_WITHDRAWN = 'RecordWithdrawn';
export const RECORD_EVENT_TYPES = [RECORD_PUBLISHED, RECORD_WITHDRAWN] as const;

const FIRST = { schemaVersion: 1 };
/** Of published records with fields that were added later; each of these fields may be absent. */
const LATER: Readonly<Record<string, typeof FIRST>> = {
  /** 2: `matterName`, `matterStatus`. 3: `actions`. */
  agenda_items: { schemaVersion: 3 },
  /** 2: `startTime`. 3: `comment`. */
  meetings: { schemaVersion: 3 },
  /** 2: `lastCheckSkipped`, `lastCheckDegraded`. 3: `lastCheckSkippedShared`. */
  sources: { schemaVersion: 3 },
};

export const recordVersion = (stream: string, type: string) => (type === RECORD_PUBLISHED ? (LATER[category(stream)] ?? FIRST) : FIRST);

export const recordWithdrawn = z.strictObject({ createdAt: dateTime, reason: text.max(1000).nullable() });
export type RecordWithdrawn = z.output<typeof recordWithdrawn>;
