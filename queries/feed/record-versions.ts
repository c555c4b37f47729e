import type { EventLog, EventMetadata, StoredEvent } from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { RESOURCES, type Resource } from '../../domain/records/resources.ts';
import { recordStream } from '../../domain/streams.ts';

/** One version of a record from its own stream. */
export interface RecordVersion {
  readonly resource: Resource;
  readonly version: number;
  readonly event: string;
  readonly at: string;
  readonly commandId: string;
  /** The event that caused it, where a reactor wrote it. */
  readonly causedBy: string | null;
  readonly data: unknown;
}

/** Every version of a record from the log itself, oldest first, also those that the feed no longer retains; of each resource that has the id. */
export async function* recordVersions(log: EventLog, recordId: string): AsyncGenerator<RecordVersion> {
  for (const resource of RESOURCES) {
    for await (const event of streamEvents(log, recordStream(resource, recordId))) yield toVersion(resource, event);
  }
}

function toVersion(resource: Resource, { type, revision, time, metadata, data }: StoredEvent): RecordVersion {
  const { commandId, causedBy } = JSON.parse(metadata) as EventMetadata;
  return {
    resource,
    version: revision + 1,
    event: type,
    at: new Date(time).toISOString(),
    commandId,
    causedBy: causedBy ?? null,
    data: JSON.parse(data),
  };
}
