import type { JsonPage, RecordsInput } from '../../contract/inputs.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';

/** The current rows of the wanted records, in the order in which they were asked for. */
const currentRecords = (generation: number, resources: Buffer, ids: Buffer, maxBytes: number): Statement => ({
  name: `current_records_g${generation}`,
  text: `with found as materialized (
      select w.ordinal, h.resource, h.record_id, h.version, h.changed_at, h.body
      from unnest($1::text[], $2::uuid[]) with ordinality as w(resource, record_id, ordinal)
      join ${RECORD_HISTORY.at(generation).history} h
        on h.record_id = w.record_id and h.resource = w.resource and h.superseded_at = ${NOT_SUPERSEDED}
      where ${requireLive(RECORD_HISTORY.name, generation)}
    ), size as materialized (select coalesce(sum(octet_length(body)), 0) as bytes from found)
    select resource, record_id::text, version::text, changed_at::text,
      case when (select bytes from size) <= $3::bigint then body end
    from found order by ordinal`,
  values: [resources, ids, maxBytes],
});

/** The current state of the records found (POST /api/v1/data/batch); what is missing or removed is absent. Refuses with 413. */
export const createReadCivicRecords =
  (reads: LiveReads, columns: ColumnArrays) =>
  async ({ requests, maxResponseBytes }: RecordsInput): Promise<JsonPage> => {
    const resources = columns.texts(requests.flatMap(({ resource, ids }) => ids.map(() => resource)));
    const ids = columns.uuids(requests.flatMap((request) => request.ids));
    const rows = await reads.texts((generation) => currentRecords(generation(RECORD_HISTORY.name), resources, ids, maxResponseBytes));
    const items = rows.map(([resource, id, version, changedAt, body]) => {
      if (body === null) throw new Rejection('response_too_large', `the records are over ${maxResponseBytes} bytes; ask for fewer ids`);
      return `{"resource":"${resource}","id":"${id}","version":"${version}","changedAt":"${new Date(Number(changedAt)).toISOString()}","data":${body}}`;
    });
    return { text: `{"data":{"items":[${items.join(',')}]}}`, items: items.length };
  };
