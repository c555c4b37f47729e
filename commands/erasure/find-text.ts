import { logBatches } from '../../domain/read-log.ts';
import { isErasable } from '../../domain/erasure/erasable.ts';
import { keysWith, pointerOf, textsOf } from '../../domain/erasure/erase-from-event.ts';
import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import type { StoredDocuments } from '../../domain/ports/documents.ts';
import { type EventLog, LOG_START, type StoredEvent } from '../../domain/ports/event-log.ts';

export interface FoundText {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly eventId: string;
  /** JSON pointers into the event's data. */
  readonly pointers: readonly string[];
  /** False if one of them must not be erased: an id, a time of the service, a key of an object, or a client's token. */
  readonly erasable: boolean;
}

interface TextSearch {
  readonly text: string;
  readonly ignoreCase: boolean;
}

function searchFor({ text, ignoreCase }: TextSearch): (value: string) => boolean {
  const fold = (value: string): string => (ignoreCase ? value.toLowerCase() : value);
  const searched = fold(text);
  return (value) => fold(value).includes(searched);
}

/** Returns the places of a text in an event; null if it does not contain the text. */
export function findInEvent(event: StoredEvent, { text, ignoreCase }: TextSearch): FoundText | null {
  const includesText = searchFor({ text, ignoreCase });
  const data: unknown = JSON.parse(event.data);
  const texts = textsOf(data).filter((each) => includesText(each.text));
  const keys = keysWith(data, includesText);
  if (texts.length === 0 && keys.length === 0) return null;
  return {
    stream: event.stream,
    version: event.revision + 1,
    type: event.type,
    eventId: event.id,
    pointers: [...texts.map(({ path }) => path), ...keys].map(pointerOf),
    erasable: keys.length === 0 && texts.every((each) => isErasable(event.type, each)),
  };
}

/** A stored copy of a document that contains a text. */
export interface FoundDocument {
  readonly type: 'StoredDocument';
  readonly address: string;
  /** The meeting that shows the document: erasing that record deletes the copy. Null for a copy that no meeting shows. */
  readonly record: string | null;
}

const PAGE = 1000;
const TEXTS = 20;

/** Searches the whole log; `onProgress` receives the number of events searched. */
export async function* findText(
  log: Pick<EventLog, 'readAll'>,
  search: TextSearch,
  onProgress: (events: number) => void,
): AsyncGenerator<FoundText> {
  let searched = 0;
  for await (const { events } of logBatches(log, LOG_START, { batchSize: PAGE })) {
    for (const event of events) {
      // An erasure event contains the replacements, not the erased text.
      const match = event.type === CONTENT_ERASED ? null : findInEvent(event, search);
      if (match !== null) yield match;
    }
    onProgress((searched += events.length));
  }
}

const onOneLine = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ');

/** Searches the stored copies of documents, also where the text continues on another line. */
export async function* findInDocuments(
  documents: Pick<StoredDocuments, 'texts'>,
  { text, ignoreCase }: TextSearch,
): AsyncGenerator<FoundDocument> {
  const includesText = searchFor({ text: onOneLine(text), ignoreCase });
  let after = '';
  for (;;) {
    const page = await documents.texts(after, TEXTS);
    for (const { address, text: lines, agenda, meetingIds } of page) {
      const titles = agenda.items.map(({ section, title }) => `${section ?? ''}\n${title}`);
      if ([lines, ...titles].some((each) => includesText(onOneLine(each))))
        yield { type: 'StoredDocument', address, record: meetingIds[0] ?? null };
    }
    if (page.length < TEXTS) return;
    after = page.at(-1)!.sha256;
  }
}
