import type { RecordData, Resource } from '../records/resources.ts';

export interface PublishedRecords {
  /** Ids of the current records of a resource whose reference field names one of the targets; in no order. */
  referring(resource: Resource, field: string, targets: readonly string[]): Promise<readonly string[]>;
  /** Current `data` by id; a record that is unknown or withdrawn is left out. */
  current<R extends Resource>(resource: R, ids: readonly string[]): Promise<ReadonlyMap<string, RecordData<R>>>;
}
