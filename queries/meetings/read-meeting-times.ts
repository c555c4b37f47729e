import type { LiveReads } from '../../domain/ports/projection.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { tablesOf } from '../live-tables.ts';

export type MeetingTime = Pick<RecordData<'meetings'>, 'startsAt' | 'startTime' | 'timezone'>;
export type Timed<Row> = Row & { readonly time: MeetingTime };

/** Rows of items with the time of their meeting, as it is published. A row whose meeting is gone meanwhile is left out. */
export const createWithMeetingTimes =
  (reads: LiveReads) =>
  async <Row extends { readonly itemId: string }>(rows: readonly Row[]): Promise<readonly Timed<Row>[]> => {
    if (rows.length === 0) return [];
    const found = await reads.texts((live) => {
      const { items, isLive } = tablesOf(AGENDA_SEARCH, live(AGENDA_SEARCH.name));
      const history = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
      return {
        text: `select i.item_id::text, h.body from ${items} i
          join ${history.history} h on h.record_id = i.meeting_id and h.resource = 'meetings' and h.superseded_at = ${NOT_SUPERSEDED}
          where i.item_id = any($1::uuid[]) and ${isLive} and ${history.isLive}`,
        values: [[...new Set(rows.map(({ itemId }) => itemId))]],
      };
    });
    const times = new Map(found.map(([itemId, meeting]) => [itemId!, JSON.parse(meeting!) as MeetingTime]));
    return rows.flatMap((row) => {
      const time = times.get(row.itemId);
      return time === undefined ? [] : [{ ...row, time }];
    });
  };
