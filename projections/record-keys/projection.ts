import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { externalIds, isFoundResource } from '../../domain/records/external-ids.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { projection } from '../projection.ts';
import { begunIn, lastOfEach } from '../record-changes.ts';
import { insert, remove, upsert } from '../rows.ts';
import type { Row } from '../tables.ts';
import { RECORD_KEYS } from './tables.ts';

async function fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const [made, replaced, gone]: [Row[], Row[], Row[]] = [[], [], []];
  const begun = begunIn(batch);
  for (const event of lastOfEach(batch)) {
    const { resource, recordId } = recordOfStream(event.stream);
    if (!isFoundResource(resource)) continue;
    const names = event.type === RECORD_PUBLISHED ? externalIds(resource, context.content(event) as never) : null;
    const key = { record_id: recordId, resource };
    if (names === null) gone.push(key);
    else {
      const { addressKey, sourceRecordId, matterFile, titleKey, localDate } = names;
      const keys = { address_key: addressKey, title_key: titleKey };
      const rows = begun.has(event.stream) ? made : replaced;
      rows.push({ ...key, ...keys, source_record_id: sourceRecordId, matter_file: matterFile, local_date: localDate });
    }
  }
  await remove(context, RECORD_KEYS.tables.keys, gone);
  await insert(context, RECORD_KEYS.tables.keys, made);
  await upsert(context, RECORD_KEYS.tables.keys, replaced);
}

export const recordKeys = projection(RECORD_KEYS, { version: 1, handles: RECORD_EVENT_TYPES, fold });
