import type { RecordChange } from '../../commands/records/record-writer.ts';
import type { RecordContent, Resource } from '../../domain/records/resources.ts';

/** The change that publishes a record with this content. */
export const upsert = <R extends Resource>(resource: R, id: string, content: RecordContent<R>): RecordChange => ({
  op: 'upsert',
  resource,
  id,
  content,
});
