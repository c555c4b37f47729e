import { MAYBE_TEXT, readModel, TEXT, UUID } from '../tables.ts';

const NAMES = {
  address_key: 'uuid',
  source_record_id: MAYBE_TEXT,
  matter_file: MAYBE_TEXT,
  title_key: 'uuid',
  local_date: MAYBE_TEXT,
} as const;

/**
 * External ids of current records. Keys are hashes of the normalized text; the reader compares the `data` of a found
 * record.
 */
export const RECORD_KEYS = readModel('record_keys', {
  keys: {
    isMain: true,
    columns: { record_id: UUID, resource: TEXT, ...NAMES },
    key: ['record_id', 'resource'],
    indexes: Object.fromEntries(
      Object.keys(NAMES).map((name) => [`by_${name}`, `(${name}) where ${name} is not null`]),
    ),
    countedBy: [],
  },
});
