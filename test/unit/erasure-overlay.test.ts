import { array, assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Erasing, planEvent } from '../../commands/erasure/plan-erasure.ts';
import {
  cutText,
  eraseFromEvent,
  ErasureOverlay,
  keepAround,
  pathOf,
  pointerOf,
} from '../../domain/erasure/erase-from-event.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';

const ID = '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11';
const event = (data: object, stream = `documents-${ID}`, type = 'RecordPublished'): StoredEvent => ({
  position: '1' as Position,
  stream,
  revision: 0,
  id: ID,
  type,
  schemaVersion: 1,
  data: JSON.stringify(data),
  metadata: '{"commandId":"c"}',
  time: 0,
});
const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const document = (title: string) =>
  event({
    ...{
      agendaItemId: null,
      bytes: null,
      createdAt: times.createdAt,
      id: ID,
      kind: 'other',
      mediaType: null,
      meetingId: null,
      sha256: null,
    },
    ...{ textEvidence: null, title, updatedAt: times.updatedAt, url: 'https://example.org/d' },
  });
const literal = (text: string, replacement: string): Erasing => ({ path: null, literal: text, replacement });
const erasure = (number: number, planned: ReturnType<typeof planEvent>) => ({
  revision: number - 1,
  data: JSON.stringify({
    reason: 'other',
    by: 'a',
    replacements: planned!.replacements,
    streams: [{ stream: planned!.stored.stream, events: [{ id: ID, revision: 0, texts: planned!.texts }] }],
  }),
});
const titleOf = ({ data }: StoredEvent): string => (JSON.parse(data) as { title: string }).title;

describe('the remainder of a text', () => {
  test('with its gaps filled is the text with the literal replaced, for any text and literal', () => {
    assert(
      property(
        string({ unit: 'grapheme' }),
        string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
        string(),
        (around, secret, replacement) => {
          const text = `${around}${secret}${around}${secret}`;
          expect(cutText(text, keepAround(text, secret)!, replacement)).toBe(
            text.replaceAll(secret, () => replacement),
          );
        },
      ),
    );
  });

  test('does not contain the length of the gaps', () => {
    expect(keepAround('by Al, for Al', 'Al')).toEqual(keepAround('by Zebulona, for Zebulona', 'Zebulona'));
  });
});

describe('the overlay', () => {
  test('applies each erasure once: to earlier events, to rewritten events, and to copies of either', () => {
    const raw = document('Ann met Bob, Ann left');
    const first = planEvent(raw, literal('Ann', 'a much longer text'));
    const once = eraseFromEvent(raw, first!.texts, first!.replacements, 1);
    const second = planEvent(once, literal('Bob', 'x'));
    const twice = eraseFromEvent(once, second!.texts, second!.replacements, 2);
    const overlay = new ErasureOverlay();
    overlay.add(erasure(1, first));
    overlay.add(erasure(2, second));
    overlay.add(erasure(1, first));
    for (const stored of [raw, once, twice]) {
      expect(overlay.apply(stored)).toEqual(twice);
      expect(overlay.apply(overlay.apply(stored))).toEqual(twice);
    }
    expect(titleOf(twice)).toBe('a much longer text met x, a much longer text left');
    expect(JSON.stringify([erasure(1, first), erasure(2, second)])).not.toMatch(/Ann|Bob|met|left/);
  });

  test('does not change events that no erasure names', () => {
    const raw = document('Ann');
    expect(new ErasureOverlay().apply(raw)).toBe(raw);
  });

  test('keeps canonical JSON, numbers as keys included', () => {
    const data = `{"attributes":{"10":"Ann","9":"b"},"createdAt":"${times.createdAt}","id":"${ID}","recordDate":null,"recordStreamId":"${ID}","sourceRecordId":"1","sourceUrl":"https://example.org/","status":null,"summary":null,"address":null,"title":"t","updatedAt":"${times.updatedAt}"}`;
    const stored = { ...event({}, `stream_records-${ID}`), data };
    const planned = planEvent(stored, literal('Ann', 'x'))!;
    expect(eraseFromEvent(stored, planned.texts, planned.replacements, 1).data).toContain('{"10":"x","9":"b"}');
  });
});

describe('text that must not be erased', () => {
  test.each([
    ['an id', { path: ['id'], literal: null, replacement: 'x' }, /\/id .*must not be erased.*\/title/],
    ['a time of the service', { path: ['createdAt'], literal: null, replacement: 'x' }, /must not be erased/],
    ['a value of a closed list', { path: ['kind'], literal: null, replacement: 'x' }, /\/kind: /],
    ['an address replaced by an invalid one', { path: ['url'], literal: null, replacement: 'x' }, /\/url: /],
    ['a title replaced by an empty text', { path: ['title'], literal: null, replacement: '' }, /\/title: /],
    ['a title replaced by white space', { path: null, literal: 'Ann', replacement: ' ' }, /would not be allowed/],
  ] as const)('%s is refused with the reason', (_, erasing, message) => {
    expect(() => planEvent(document('a title of Ann'), erasing)).toThrow(message);
  });

  test('a number is not text', () => {
    const stored = document('t');
    const data = JSON.stringify({ ...(JSON.parse(stored.data) as object), bytes: 5 });
    expect(() => planEvent({ ...stored, data }, { path: ['bytes'], literal: null, replacement: 'x' })).toThrow(
      /is no text/,
    );
  });
});

test('the hash that identifies a repeated report is computed from the remaining text', () => {
  const input = { sourceUrl: 'https://example.org/a', expectedRecord: 'What Ann wrote' };
  const data = {
    reportId: ID,
    token: 't',
    inputHash: 'a'.repeat(64),
    input,
    keyId: ID,
    surface: 'rest',
    submittedAt: times.createdAt,
    nextCheckAt: times.createdAt,
    statusUrl: '/s',
  };
  const stored = event(data, `account_reports-${ID}`, 'DataReportSubmitted');
  const planned = planEvent(stored, literal('Ann', 'x'))!;
  const erased = JSON.parse(eraseFromEvent(stored, planned.texts, planned.replacements, 1).data) as typeof data;
  expect(erased.input.expectedRecord).toBe('What x wrote');
  expect(erased.inputHash).not.toBe(data.inputHash);
});

test('a pointer is parsed as it was written, and other texts are refused', () => {
  assert(
    property(array(string(), { minLength: 1 }), (path) => {
      expect(pathOf(pointerOf(path))).toEqual(path);
    }),
  );
  for (const text of ['', 'title', '/a~2', '/~']) expect(pathOf(text)).toBeNull();
});
