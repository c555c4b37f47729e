import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { externalIds, isFoundResource } from '../../domain/records/external-ids.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { projection } from '../projection.ts';
import { findNewStreams, selectLastEvents } from '../record-changes.ts';
import { insert, remove, upsert } from '../rows.ts';
import type { Row } from '../tables.ts';
import { RECORD_KEYS } from './tables.ts';

async function fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const [inserted, replaced, removed]: [Row[], Row[], Row[]] = [[], [], []];
  const newStreams = findNewStreams(batch);
  for (const event of selectLastEvents(batch)) {
    const { resource, recordId } = recordOfStream(event.stream);
    if (!isFoundResource(resource)) continue;
    const names = event.type === RECORD_PUBLISHED ? externalIds(resource, context.content(event) as never) : null;
    const key = { record_id: recordId, resource };
    if (names === null) removed.push(key);
    else {
      const { addressKey, sourceRecordId, matterFile, titleKey, localDate } = names;
      const keys = { address_key: addressKey, title_key: titleKey };
      const rows = newStreams.has(event.stream) ? inserted : replaced;
      rows.push({ ...key, ...keys, source_record_id: sourceRecordId, matter_file: matterFile, local_date: localDate });
    }
  }
  await remove(context, RECORD_KEYS.tables.keys, removed);
  await insert(context, RECORD_KEYS.tables.keys, inserted);
  await upsert(context, RECORD_KEYS.tables.keys, replaced);
}

export const recordKeys = projection(RECORD_KEYS, { version: 1, handles: RECORD_EVENT_TYPES, fold });
