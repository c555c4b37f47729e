import { isErasable } from '../../src/domain/erasure/erasable.ts';
import { keysWith, pointerOf, textsOf } from '../../src/domain/erasure/text-paths.ts';
import { CONTENT_ERASED } from '../../src/domain/events/erasure-events.ts';
import { type EventLog, LOG_START, type StoredEvent } from '../../src/domain/ports/event-log.ts';

/** Where a text stands in the log; never what stands around it. */
export interface FoundText {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly eventId: string;
  /** JSON pointers into the event's data. */
  readonly pointers: readonly string[];
  /** False where one of them may not be erased: an id, a time of the service, a key of an object, or somebody's own token. */
  readonly erasable: boolean;
}

export interface TextSearch {
  readonly text: string;
  readonly ignoreCase: boolean;
}

/** Where an event holds the text; null where it does not. */
export const findIn = (event: StoredEvent, { text, ignoreCase }: TextSearch): FoundText | null => {
  const folded = (value: string): string => (ignoreCase ? value.toLowerCase() : value);
  const wanted = folded(text);
  const data: unknown = JSON.parse(event.data);
  const texts = textsOf(data).filter((each) => folded(each.text).includes(wanted));
  const keys = keysWith(data, text);
  if (texts.length === 0 && keys.length === 0) return null;
  return {
    stream: event.stream,
    version: event.revision + 1,
    type: event.type,
    eventId: event.id,
    pointers: [...texts.map(({ path }) => path), ...keys].map(pointerOf),
    erasable: keys.length === 0 && texts.every((each) => isErasable(event.type, each)),
  };
};

const PAGE = 1000;

/** Looks through the whole log; `onProgress` is told how many events have been looked at. */
export async function* findText(
  log: Pick<EventLog, 'readAll'>,
  search: TextSearch,
  onProgress: (events: number) => void,
): AsyncGenerator<FoundText> {
  let looked = 0;
  for (let after = LOG_START; ; ) {
    const { events, scannedTo } = await log.readAll({ after, limit: PAGE });
    for (const event of events) {
      // The words of an erasure are what stands there now.
      const found = event.type === CONTENT_ERASED ? null : findIn(event, search);
      if (found !== null) yield found;
    }
    if (scannedTo === after) return;
    onProgress((looked += events.length));
    after = scannedTo;
  }
}
