import { z } from 'zod';
import { dateTime, text } from '../records/fields.ts';
import { category } from '../streams.ts';

/**
 * Events of the stream `<resource>-<recordId>`. Published `data` is read as stored. `RecordWithdrawn` has `createdAt`
 * in case the record is published again.
 */
export const RECORD_PUBLISHED = 'RecordPublished';
export const RECORD_WITHDRAWN = 'RecordWithdrawn';
export const RECORD_EVENT_TYPES = [RECORD_PUBLISHED, RECORD_WITHDRAWN] as const;

const FIRST = { schemaVersion: 1 };
/** Versions of resources with fields that were added later. Each of these fields is optional. */
const LATER: Readonly<Record<string, typeof FIRST>> = {
  /** 2: `matterName`, `matterStatus`. 3: `actions`. 4: `kind`, `section`, `votes`. 5: facts, `factsVersion`. */
  agenda_items: { schemaVersion: 5 },
  /** 2: `startTime`. 3: `comment`. */
  meetings: { schemaVersion: 3 },
  /**
   * 2: `lastCheckSkipped`, `lastCheckDegraded`. 3: `lastCheckSkippedShared`. 4: `lastCheckFailure`, `readingVersion`.
   */
  sources: { schemaVersion: 4 },
};

export const recordVersion = (stream: string, type: string) =>
  type === RECORD_PUBLISHED ? (LATER[category(stream)] ?? FIRST) : FIRST;

export const recordWithdrawn = z.strictObject({ createdAt: dateTime, reason: text.max(1000).nullable() });
export type RecordWithdrawn = z.output<typeof recordWithdrawn>;
