import { generationTable } from '../../domain/ports/projection.ts';

/**
 * By which names from outside a current record is found: its address, its source's id, its matter's file number, its title, and the local
 * date of a meeting or a stream's record. Keys are fixed-size hashes of the normalised text; the reader compares the `data` of a found record.
 */
export const RECORD_KEYS = 'record_keys';

export const recordKeysTable = (generation: number): string => generationTable(RECORD_KEYS, generation);

export const createRecordKeysTable = (generation: number): readonly string[] => [
  `create table ${recordKeysTable(generation)} (
    record_id uuid not null,
    resource text collate "C" not null,
    address_key uuid,
    source_record_id text collate "C",
    matter_file text collate "C",
    title_key uuid,
    local_date text collate "C",
    primary key (record_id, resource)
  )`,
  ...['address_key', 'source_record_id', 'matter_file', 'title_key', 'local_date'].map(
    (column) =>
      `create index record_keys_g${generation}_by_${column} on ${recordKeysTable(generation)} (${column}) where ${column} is not null`,
  ),
];
