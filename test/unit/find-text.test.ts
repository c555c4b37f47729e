import { expect, test } from 'vitest';
import { findInEvent } from '../../commands/erasure/find-text.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';

const event = (data: object): StoredEvent => ({
  position: '1' as Position,
  stream: 'topics-1',
  revision: 0,
  id: '1',
  type: 'RecordPublished',
  schemaVersion: 1,
  data: JSON.stringify(data),
  metadata: '{}',
  time: 0,
});

test.each([
  { ignoreCase: true, found: ['/name', '/labels/jane doe'] },
  { ignoreCase: false, found: ['/name'] },
])('texts and keys are compared in the same way: ignoring case $ignoreCase', ({ ignoreCase, found: paths }) => {
  const result = findInEvent(event({ name: 'Jane Doe', labels: { 'jane doe': 'x' } }), {
    text: 'Jane Doe',
    ignoreCase,
  });
  expect(result?.pointers).toEqual(paths);
});

test('an event that contains the text in a key is not erasable', () => {
  expect(findInEvent(event({ labels: { 'JANE DOE': 'x' } }), { text: 'jane doe', ignoreCase: true })).toMatchObject({
    erasable: false,
  });
  expect(findInEvent(event({ labels: { 'JANE DOE': 'x' } }), { text: 'jane doe', ignoreCase: false })).toBeNull();
});
