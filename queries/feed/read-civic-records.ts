import type { JsonPage, RecordsInput } from '../../contract/inputs.ts';
import type { ColumnArrays } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { currentRow, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { isoTime } from '../fields.ts';
import { JsonText } from '../json-text.ts';
import { liveRows } from '../live-tables.ts';

/** Bytes of an item beside its body, and of the answer beside its items: more than the texts below take. */
const [ITEM_BYTES, PAGE_BYTES] = [200, 30];

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
    const bodies = rows.map(([, , , body]) => {
      if (body == null) throw new Rejection('response_too_large', `the records are over ${maxResponseBytes} bytes; ask for fewer ids`);
      return body;
    });
    const size = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), PAGE_BYTES + rows.length * ITEM_BYTES);
    const json = new JsonText(size).ascii('{"data":{"items":[');
    for (const [index, [ordinal, version, changedAt]] of rows.entries()) {
      const { resource, id } = wanted[Number(ordinal) - 1]!;
      json.ascii(
        `${index === 0 ? '' : ','}{"resource":"${resource}","id":"${id}","version":"${version}","changedAt":"${isoTime(changedAt!)}","data":`,
      );
      json.text(bodies[index]!).ascii('}');
    }
    return json.ascii(']}}').page(rows.length);
  };
