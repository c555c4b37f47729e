import type { JsonPage, RecordsInput } from '../../contract/inputs.ts';
import type { ColumnArrays } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { currentRow, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { isoTime } from '../fields.ts';
import { liveRows } from '../live-tables.ts';

/** The current records found, in the order in which they were asked for; what is missing or removed is absent. Refuses with 413. */
export const createReadCivicRecords =
  (reads: LiveReads, columns: ColumnArrays) =>
  async ({ requests, maxResponseBytes }: RecordsInput): Promise<JsonPage> => {
    const wanted = requests.flatMap(({ resource, ids }) => ids.map((id) => ({ resource, id })));
    const rows = await liveRows(reads, RECORD_HISTORY, {
      name: 'current_records',
      text: ({ history, isLive }) => `select w.ordinal::text, h.version::text, h.changed_at::text,
          case when sum(octet_length(h.body)) over () <= $3::bigint then h.body end
        from unnest($1::text[], $2::uuid[]) with ordinality as w(resource, record_id, ordinal)
        cross join ${currentRow(history, 'h', { id: 'w.record_id', resource: 'w.resource' })}
        where ${isLive} order by w.ordinal`,
      values: [columns.texts(wanted.map(({ resource }) => resource)), columns.uuids(wanted.map(({ id }) => id)), maxResponseBytes],
    });
    const items = rows.map(([ordinal, version, changedAt, body]) => {
      if (body === null) throw new Rejection('response_too_large', `the records are over ${maxResponseBytes} bytes; ask for fewer ids`);
      const { resource, id } = wanted[Number(ordinal) - 1]!;
      return `{"resource":"${resource}","id":"${id}","version":"${version}","changedAt":"${isoTime(changedAt!)}","data":${body}}`;
    });
    return { text: `{"data":{"items":[${items.join(',')}]}}`, items: items.length };
  };
