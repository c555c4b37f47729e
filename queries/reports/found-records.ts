import { RECORD_KEYS, recordKeysTable } from '../../projections/record-keys/tables.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import type { FoundResource } from '../../domain/records/external-ids.ts';

/** The criteria of a search for a record; null or empty ones find nothing. */
export interface WantedRecord {
  readonly addressKey: string;
  readonly titleKey: string | null;
  /** A source's id, or the file number of a matter. */
  readonly sourceRecordId: string | null;
  readonly localDate: string | null;
}

export interface FoundRecord {
  readonly resource: FoundResource;
  readonly id: string;
}

const MOST = 2000;

/** Current records that have any of the names: a superset, since names are shared. At most two thousand, in the order of their ids. */
export async function foundRecords(reads: LiveReads, wanted: WantedRecord): Promise<readonly FoundRecord[]> {
  const rows = await reads.texts((live) => {
    const generation = live(RECORD_KEYS);
    return {
      name: `found_records_g${generation}`,
      text: `select resource, record_id::text from ${recordKeysTable(generation)}
        where (address_key = $1::uuid or title_key = $2::uuid or source_record_id = $3 or matter_file = upper($3) or local_date = $4)
          and ${requireLive(RECORD_KEYS, generation)}
        order by record_id limit ${MOST}`,
      values: [wanted.addressKey, wanted.titleKey, wanted.sourceRecordId, wanted.localDate],
    };
  });
  return rows.map(([resource, id]) => ({ resource: resource as FoundResource, id: id! }));
}
