import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { AppendOutcome, EventLog, NewEvent, Position, StoredEvent } from '../../domain/ports/event-log.ts';

export type OpenLog = EventLog & { close(): Promise<void> };

export interface Store {
  /** A further, independent way to the same log, as another process would have. */
  connect(): OpenLog;
  stop(): Promise<void>;
}
export type OpenStore = () => Promise<Store>;

/** The store and one log of a suite, opened before and closed after its tests. */
export function useStore(openStore: OpenStore): { readonly log: EventLog; connect(): OpenLog } {
  /** Undefined after a failed opening, whose error the end must not hide. */
  let opening: Store | undefined;
  let store: Store;
  const opened: OpenLog[] = [];
  const connect = (): OpenLog => {
    const log = store.connect();
    opened.push(log);
    return log;
  };
  let log: OpenLog;
  beforeAll(async () => {
    opening = store = await openStore();
    log = connect();
  });
  afterAll(async () => {
    for (const each of opened) await each.close();
    await opening?.stop();
  });
  return {
    get log() {
      return log;
    },
    connect,
  };
}

export const freshStream = (category = 'meetings'): string => `${category}-${randomUUID()}`;

export const newEvent = (overrides: Partial<NewEvent> = {}): NewEvent => ({
  id: randomUUID(),
  type: 'RecordPublished',
  schemaVersion: 1,
  data: '{"title":"A meeting"}',
  metadata: { commandId: randomUUID() },
  time: 1_800_000_000_000,
  ...overrides,
});

export const newEvents = (count: number, overrides: Partial<NewEvent> = {}): NewEvent[] =>
  Array.from({ length: count }, () => newEvent(overrides));

/** The outcome, which must be an append. */
export function appended(outcome: AppendOutcome): Extract<AppendOutcome, { kind: 'appended' }> {
  expect(outcome.kind).toBe('appended');
  return outcome as Extract<AppendOutcome, { kind: 'appended' }>;
}

/** All events after the position up to the present head, page by page. */
export async function readOn(
  log: EventLog,
  after: Position,
  limit = 100,
  types?: readonly string[],
): Promise<StoredEvent[]> {
  const head = await log.head();
  const events: StoredEvent[] = [];
  let from = after;
  while (from < head) {
    const batch = await log.readAll({ after: from, limit, ...(types === undefined ? {} : { types }) });
    expect(batch.scannedTo > from).toBe(true);
    expect((batch.events.at(-1)?.position ?? batch.scannedTo) <= batch.scannedTo).toBe(true);
    events.push(...batch.events);
    from = batch.scannedTo;
  }
  return events;
}
