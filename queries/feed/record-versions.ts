import type { EventLog, EventMetadata, StoredEvent } from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { RESOURCES, type Resource } from '../../domain/records/resources.ts';
import { recordStream } from '../../domain/streams.ts';

/** Every version of a record from the log itself, oldest first, also those that the feed no longer retains; of each resource that has the id. */
export async function* recordVersions(log: EventLog, recordId: string) {
  for (const resource of RESOURCES) {
    for await (const event of streamEvents(log, recordStream(resource, recordId))) yield toVersion(resource, event);
  }
}

function toVersion(resource: Resource, { type, revision, time, metadata, data }: StoredEvent) {
  const { commandId, causedBy } = JSON.parse(metadata) as EventMetadata;
  return {
    resource,
    version: revision + 1,
    event: type,
    at: new Date(time).toISOString(),
    commandId,
    /** The event that caused it, where a reactor wrote it. */
    causedBy: causedBy ?? null,
    data: JSON.parse(data) as unknown,
  };
}
