import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkChange } from '../../commands/records/write-records.ts';
import {
  decide,
  evolve,
  initialState,
  MAX_RECORD_BYTES,
  type RecordCommand,
  type RecordEvent,
  type RecordState,
} from '../../commands/records/record-decider.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { recordId, upsert } from '../support/civic-records.ts';

const ID = recordId('topics', 1);
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function publish(variant: number, second: number, content: object = {}): RecordCommand {
  const change = upsert('topics', 1, variant);
  if (change.op !== 'upsert') throw new Error('not an upsert');
  const checked = checkChange({ ...change, content: { ...(change.content as object), ...content } });
  if (checked.kind === 'rejected') throw new Error(checked.reason);
  return { ...checked.intent, at: at(second) };
}
const withdraw = (second: number, reason: string | null = null): RecordCommand => ({
  type: 'WithdrawRecord',
  reason,
  at: at(second),
});

/** The outcome of a command after earlier ones. */
function stateAfter(...commands: readonly RecordCommand[]) {
  let state: RecordState = initialState();
  for (const command of commands) {
    for (const event of decide(command, state) as readonly RecordEvent[]) state = evolve(state, event);
  }
  return { when: (command: RecordCommand) => decide(command, state), state };
}

const data = (decision: ReturnType<typeof decide>) =>
  JSON.parse((decision as readonly RecordEvent[])[0]!.data) as Record<string, unknown>;

test('a new record is published with both its times set to that of the command', () => {
  const decision = stateAfter().when(publish(1, 5));
  expect(data(decision)).toMatchObject({ id: ID, slug: 'topic-1', createdAt: at(5), updatedAt: at(5) });
});

test('the same content again appends nothing, at any later time', () => {
  expect(stateAfter(publish(1, 5)).when(publish(1, 900))).toEqual([]);
  expect(stateAfter(publish(1, 5), publish(2, 6), publish(1, 7)).when(publish(1, 8))).toEqual([]);
});

test('other content is one event with the first createdAt and the new updatedAt', () => {
  expect(data(stateAfter(publish(1, 5)).when(publish(2, 9)))).toMatchObject({
    slug: 'topic-2',
    createdAt: at(5),
    updatedAt: at(9),
  });
});

test('removing an unknown or removed record appends nothing', () => {
  expect(stateAfter().when(withdraw(1))).toEqual([]);
  expect(stateAfter(publish(1, 1), withdraw(2)).when(withdraw(3))).toEqual([]);
});

test('a removal contains the first createdAt, and a record that is published again keeps it', () => {
  const removed = stateAfter(publish(1, 5), withdraw(6, 'gone'));
  expect(data(stateAfter(publish(1, 5)).when(withdraw(6, 'gone')))).toEqual({ createdAt: at(5), reason: 'gone' });
  expect(data(removed.when(publish(1, 7)))).toMatchObject({ createdAt: at(5), updatedAt: at(7) });
  expect(data(stateAfter(publish(1, 5), withdraw(6), publish(2, 7), withdraw(8)).when(publish(3, 9)))).toMatchObject({
    createdAt: at(5),
  });
});

test('a record of exactly 1 MiB is published and one byte more is refused', () => {
  const empty =
    Buffer.byteLength((stateAfter().when(publish(1, 5, { description: 'x' })) as readonly RecordEvent[])[0]!.data) - 1;
  const sized = (bytes: number) => stateAfter().when(publish(1, 5, { description: 'd'.repeat(bytes - empty) }));
  expect(sized(MAX_RECORD_BYTES)).toHaveLength(1);
  expect(sized(MAX_RECORD_BYTES + 1)).toMatchObject({ message: expect.stringMatching(/over 1048576 bytes/) });
  expect(
    stateAfter().when(publish(1, 5, { description: 'é'.repeat((MAX_RECORD_BYTES - empty) / 2 + 1) })),
  ).toMatchObject({
    message: expect.stringMatching(/over/),
  });
});

test('U+0000 and lone surrogates are refused, and texts that resemble their escapes are not', () => {
  expect(stateAfter().when(publish(1, 5, { description: 'a\u0000b' }))).toMatchObject({
    message: expect.stringMatching(/U\+0000/),
  });
  expect(stateAfter().when(publish(1, 5, { description: 'a\ud800b' }))).toMatchObject({
    message: expect.stringMatching(/surrogate/),
  });
  for (const text of [String.raw`\u0000`, String.raw`\\u0000`, String.raw`a\\\u0000`, '\u0001', '𝔘', '"\\']) {
    const decision = stateAfter().when(publish(1, 5, { description: text }));
    expect([text, data(decision)['description']]).toEqual([text, text]);
  }
});

test('published data is canonical JSON for any order of keys', () => {
  const command = publish(1, 5);
  if (command.type !== 'PublishRecord') throw new Error('not a publication');
  const reversed = {
    ...command,
    content: Object.fromEntries(Object.entries(command.content).toReversed()),
  } as RecordCommand;
  const [event] = stateAfter().when(command) as readonly RecordEvent[];
  expect(stateAfter().when(reversed)).toEqual([event]);
  expect(event!.data).toBe(canonicalJson(JSON.parse(event!.data)));
});

test('deciding depends only on the newest event, and evolving never throws on decided events', () => {
  const commands = fc.array(
    fc.oneof(
      fc.nat(2).map((variant) => (second: number) => publish(variant, second)),
      fc.constant((second: number) => withdraw(second)),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(commands, (makers) => {
      let state: RecordState = initialState();
      let newest: RecordEvent | undefined;
      for (const [second, make] of makers.entries()) {
        const command = make(second);
        const fromNewest = newest === undefined ? initialState() : evolve(initialState(), newest);
        expect(decide(command, fromNewest)).toEqual(decide(command, state));
        for (const event of decide(command, state) as readonly RecordEvent[]) {
          state = evolve(state, event);
          newest = event;
        }
        expect(decide(command, state)).toEqual([]);
      }
    }),
  );
});

test.each(RESOURCES)('%s: a change without fields is refused with the missing fields', (resource) => {
  const checked = checkChange({ op: 'upsert', resource, id: ID, content: {} });
  expect(checked).toMatchObject({ kind: 'rejected' });
  expect((checked as { reason: string }).reason.length).toBeGreaterThan(10);
});

test('an id is accepted in any case and stored in lower case; times and id in the data are no content', () => {
  const change = upsert('topics', 1, 1);
  const content = { ...(change as { content: object }).content, id: ID.toUpperCase(), createdAt: 'x', updatedAt: 7 };
  const checked = checkChange({ op: 'upsert', resource: 'topics', id: ID.toUpperCase(), content });
  expect(checked).toEqual(checkChange(change));
  expect(checked).toMatchObject({ kind: 'command', id: ID });
  for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    expect(checkChange({ op: 'remove', resource: 'topics', id })).toMatchObject({ kind: 'command', id });
  }
});

test('an item that was stored before its newer fields existed and is stated again without them appends nothing', () => {
  const { event } = JSON.parse(
    readFileSync(new URL('../fixtures/events/RecordPublished.agenda_items.v1.json', import.meta.url), 'utf8'),
  ) as {
    readonly event: { readonly type: string; readonly data: { readonly id: string; readonly updatedAt: string } };
  };
  // An item that states facts gets them.
  const stored = { ...event.data, title: 'Roll call', text: null };
  const checked = checkChange({ op: 'upsert', resource: 'agenda_items', id: stored.id, content: stored });
  if (checked.kind === 'rejected') throw new Error(checked.reason);
  const state = evolve(initialState(), { type: event.type, data: canonicalJson(stored) });
  expect(decide({ ...checked.intent, at: at(1) }, state)).toEqual([]);
});
