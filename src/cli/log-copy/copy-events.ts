import type { EventLog, EventMetadata, NewEvent, StreamAppend } from '../../../domain/ports/event-log.ts';
import { CommandFailed } from '../context.ts';
import { type CopiedEvent, eventsOf, lineOf } from './log-pages.ts';

/** Events of one call; both stores keep the order of that many appends. */
const AT_ONCE = 200;

export interface Copying {
  /** Every event of the source from its first. */
  readonly source: AsyncGenerator<CopiedEvent>;
  readonly target: EventLog;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number) => void;
}

export interface Copied {
  /** Events that the target had already. */
  readonly found: number;
  readonly copied: number;
}

/**
 * Appends to the target what it lacks of the source. The events of the target must be the first ones of the source: a stopped copy continues,
 * and another log is never written. Throws `CommandFailed`.
 */
export async function copyEvents({ source, target, signal, onProgress }: Copying): Promise<Copied> {
  let found = 0;
  for await (const there of eventsOf(target, signal)) {
    const { value: event } = await source.next();
    if (event === undefined)
      throw new CommandFailed(`the target has more events than the source (${found}): it is another log, or another process writes to it`);
    if (lineOf(event) !== lineOf(there)) {
      throw new CommandFailed(
        `event ${found + 1} of the target (${there.id} of ${there.stream}) is not that of the source (${event.id} of ${event.stream}): it holds another log; give an empty one`,
      );
    }
    found += 1;
    if (found % AT_ONCE === 0) onProgress(found);
  }
  let copied = 0;
  let appends: (StreamAppend & { readonly events: NewEvent[] })[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const sent = appends;
    copied += size;
    appends = [];
    size = 0;
    if (sent.length === 0) return;
    for (const outcome of await target.appendEach(sent)) {
      if (outcome.kind === 'conflict') throw new CommandFailed('another process writes to the target');
    }
    onProgress(found + copied);
  };
  for await (const event of source) {
    const last = appends.at(-1);
    const goesOn = last?.stream === event.stream;
    if (size >= AT_ONCE || (!goesOn && appends.some(({ stream }) => stream === event.stream))) await flush();
    if (goesOn && appends.length > 0) last.events.push(newEvent(event));
    else appends.push({ stream: event.stream, expectedRevision: event.revision - 1, events: [newEvent(event)] });
    size += 1;
  }
  await flush();
  return { found, copied };
}

const newEvent = ({ id, type, schemaVersion, data, metadata, time }: CopiedEvent): NewEvent => ({
  id,
  type,
  schemaVersion,
  data,
  metadata: JSON.parse(metadata) as EventMetadata,
  time,
});
