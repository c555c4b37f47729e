import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eraseContent } from '../../commands/erasure/erase-content.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { ErasingLog, EventLog } from '../../domain/ports/event-log.ts';
import { ERASURES_STREAM } from '../../domain/streams.ts';
import { memoryLog } from '../support/memory-log.ts';

const NAME = 'Zebulona';
const ID = '0190a1b2-0000-7000-8000-000000000001';
const STREAM = `documents-${ID}`;
const AT = '2026-01-01T00:00:00.000Z';
const contentOf = (title: string) => ({
  ...{
    agendaItemId: null,
    bytes: null,
    createdAt: AT,
    id: ID,
    kind: 'other',
    mediaType: null,
    meetingId: null,
    sha256: null,
  },
  ...{ textEvidence: null, title, updatedAt: AT, url: 'https://example.org/d' },
});

test('content published during an erasure is followed by a change before it is erased', async () => {
  const memory = memoryLog();
  const publish = (title: string) =>
    memory.store({
      stream: STREAM,
      expectedRevision: memory.events.filter(({ stream }) => stream === STREAM).length - 1,
      events: [
        {
          ...{ id: randomUUID(), type: RECORD_PUBLISHED, schemaVersion: 1, data: JSON.stringify(contentOf(title)) },
          ...{ metadata: { commandId: randomUUID() }, time: 0 },
        },
      ],
    });
  const lastOf = (stream: string) => memory.events.findLast((event) => event.stream === stream)!;
  publish(`of ${NAME}`);
  let meanwhile = 2;
  const erasedUnder: number[] = [];
  const log: EventLog & ErasingLog = {
    ...memory.log,
    // Runs between the change that follows and the read of the events to erase.
    readLast: async (streams) => {
      if (streams.includes(ERASURES_STREAM) && meanwhile-- > 0) publish(`${NAME} again`);
      return memory.log.readLast(streams);
    },
    appendErasure: async (append, rewritten) => {
      for (const { stream, revision, data, metadata } of rewritten) {
        if (revision >= lastOf(stream).revision) erasedUnder.push(revision);
        const index = memory.events.findIndex((event) => event.stream === stream && event.revision === revision);
        memory.events[index] = { ...memory.events[index]!, data, metadata };
      }
      return memory.store(append);
    },
  };
  const erased = await eraseContent(
    { log, clock: { now: () => 0, sleep: async () => undefined }, identifiers: randomIdentifiers, deadlineMs: 1_000 },
    {
      ...{ streams: [{ stream: STREAM }], erasing: { path: null, literal: NAME, replacement: 'x' } },
      ...{ reason: 'other', by: 'a', dryRun: false },
    },
  );
  expect(erasedUnder).toEqual([]);
  expect(erased.changes).toBe(3);
  const titles = memory.events
    .filter(({ stream }) => stream === STREAM)
    .map(({ data }) => (JSON.parse(data) as { readonly title: string }).title);
  expect(titles).toEqual(['of x', 'of x', 'x again', 'x again', 'x again', 'x again']);
  expect(JSON.stringify(memory.events)).not.toContain(NAME);
});
