import { sourceAddressKey } from '../source-url.ts';
import { titleKey } from '../text/words.ts';
import type { RecordData } from './resources.ts';

export const FOUND_RESOURCES = ['meetings', 'agendas', 'agenda_items', 'documents', 'stream_records'] as const;
export type FoundResource = (typeof FOUND_RESOURCES)[number];

export const isFoundResource = (resource: string): resource is FoundResource =>
  (FOUND_RESOURCES as readonly string[]).includes(resource);

/** Identifiers of a record at its source; see `projections/record-keys/tables.ts`. */
export interface ExternalIds {
  readonly addressKey: string | null;
  readonly sourceRecordId: string | null;
  /** Upper case. */
  readonly matterFile: string | null;
  readonly titleKey: string | null;
  /** `YYYY-MM-DD` in local time. */
  readonly localDate: string | null;
}

export function localDate(instant: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(Date.parse(instant));
}

const NOTHING: ExternalIds = {
  addressKey: null,
  sourceRecordId: null,
  matterFile: null,
  titleKey: null,
  localDate: null,
};
/** Longer ids are not indexed, because no report may contain one. */
const MAX_ID_LENGTH = 200;
const short = (text: string | null): string | null => (text === null || text.length > MAX_ID_LENGTH ? null : text);

const NAMERS: { readonly [R in FoundResource]: (data: RecordData<R>) => Partial<ExternalIds> } = {
  meetings: ({ sourceUrl, sourceRecordId, title, startsAt, timezone }) => ({
    addressKey: sourceAddressKey(sourceUrl),
    sourceRecordId: short(sourceRecordId),
    titleKey: titleKey(title),
    localDate: localDate(startsAt, timezone),
  }),
  agendas: ({ sourceUrl }) => ({ addressKey: sourceAddressKey(sourceUrl) }),
  agenda_items: ({ sourceUrl, sourceRecordId, matterFile, title }) => ({
    addressKey: sourceAddressKey(sourceUrl),
    sourceRecordId: short(sourceRecordId),
    matterFile: short(matterFile)?.toUpperCase() ?? null,
    titleKey: titleKey(title),
  }),
  documents: ({ url, title }) => ({ addressKey: sourceAddressKey(url), titleKey: titleKey(title) }),
  stream_records: ({ sourceUrl, sourceRecordId, title, recordDate }) => ({
    addressKey: sourceAddressKey(sourceUrl),
    sourceRecordId: short(sourceRecordId),
    titleKey: titleKey(title),
    localDate: recordDate,
  }),
};

export const externalIds = <R extends FoundResource>(resource: R, data: RecordData<R>): ExternalIds => ({
  ...NOTHING,
  ...(NAMERS[resource] as (data: RecordData<R>) => Partial<ExternalIds>)(data),
});
