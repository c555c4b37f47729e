import { NO_STREAM, type EventLog, type EventMetadata, type StoredEvent } from '../src/domain/ports/event-log.ts';
import { RESOURCES, type Resource } from '../src/domain/records/resources.ts';
import { recordStream } from '../src/domain/streams.ts';

/** One version of a record as its own stream tells it. */
export interface RecordVersion {
  readonly resource: Resource;
  readonly version: number;
  readonly event: string;
  readonly at: string;
  readonly commandId: string;
  /** The event that caused it, where it followed by itself. */
  readonly causedBy: string | null;
  readonly data: unknown;
}

const PAGE = 500;

/** Every version of a record from the log itself, oldest first, also those that the feed no longer retains; of each resource that has the id. */
export async function* recordVersions(log: EventLog, recordId: string): AsyncGenerator<RecordVersion> {
  for (const resource of RESOURCES) {
    for (let after = NO_STREAM; ; ) {
      const events = await log.readStream(recordStream(resource, recordId), after, PAGE);
      for (const event of events) yield toVersion(resource, event);
      if (events.length < PAGE) break;
      after = events.at(-1)!.revision;
    }
  }
}

const toVersion = (resource: Resource, { type, revision, time, metadata, data }: StoredEvent): RecordVersion => {
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
};
