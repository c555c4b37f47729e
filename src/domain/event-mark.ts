import type { EventLog, StoredEvent } from './ports/event-log.ts';

/** What tells an event from every event of another history. Its id alone does not: ids that derive from what was said can return. */
export type EventMark = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'position'>;

export const markOf = ({ stream, revision, id, position }: StoredEvent): EventMark => ({ stream, revision, id, position });

/** Whether the log has this event. Throws what the log throws. */
export const hasEvent = async (log: Pick<EventLog, 'readStream'>, { stream, revision, id, position }: EventMark): Promise<boolean> => {
  const [found] = await log.readStream(stream, revision - 1, 1);
  return found?.revision === revision && found.id === id && found.position === position;
};
