import type { JsonPage, RecordsInput } from '../../contract/inputs.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { currentRow, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { isoTime } from '../fields.ts';
import { JsonText } from '../json-text.ts';
import { liveStatement } from '../live-tables.ts';

/** Upper limits: bytes of an item without its body, and bytes of the response without its items. */
const [ITEM_BYTES, PAGE_BYTES] = [200, 30];

interface CurrentRecord {
  /** Number of the requested record, from 1. */
  readonly ordinal: number;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** Null if the records together exceed the limit. */
  readonly body: string | null;
}

/** Returns the current records in the requested order, without missing and removed ones. Rejects with 413. */
export const createReadCivicRecords =
  (reads: LiveReads) =>
  async ({ requests, maxResponseBytes }: RecordsInput): Promise<JsonPage> => {
    const requested = requests.flatMap(({ resource, ids }) => ids.map((id) => ({ resource, id })));
    const rows = await reads.rows<CurrentRecord>(
      liveStatement(RECORD_HISTORY, {
        name: 'current_records',
        text: ({ history, isLive }) => `select w.ordinal, h.version::text, h.changed_at as "changedAt",
          case when sum(octet_length(h.body)) over () <= $3::bigint then h.body end as body
        from unnest($1::text[], $2::uuid[]) with ordinality as w(resource, record_id, ordinal)
        cross join ${currentRow(history, 'h', { id: 'w.record_id', resource: 'w.resource' })}
        where ${isLive} order by w.ordinal`,
        values: [requested.map(({ resource }) => resource), requested.map(({ id }) => id), maxResponseBytes],
      }),
    );
    const bodies = rows.map(({ body }) => {
      if (body === null)
        throw new Rejection('response_too_large', `the records are over ${maxResponseBytes} bytes; ask for fewer ids`);
      return body;
    });
    const size = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), PAGE_BYTES + rows.length * ITEM_BYTES);
    const json = new JsonText(size).ascii('{"data":{"items":[');
    for (const [index, { ordinal, version, changedAt }] of rows.entries()) {
      const { resource, id } = requested[ordinal - 1]!;
      json.ascii(
        `${index === 0 ? '' : ','}{"resource":"${resource}","id":"${id}","version":"${version}","changedAt":"${isoTime(changedAt)}","data":`,
      );
      json.text(bodies[index]!).ascii('}');
    }
    return json.ascii(']}}').page(rows.length);
  };
