import { expect, test } from 'vitest';
import { plainRecord } from '../../domain/records/plain-record.ts';

test('texts of a record are plain on all levels, lines stay in long ones, and addresses are as they were sent', () => {
  const rtf = String.raw`{\rtf1 One\par two\par}`;
  expect(
    plainRecord({
      title: rtf,
      text: rtf,
      matterFile: null,
      sequence: 5,
      sourceUrl: 'https://example.org/?a=1&copy;=2',
      startTime: { sourceText: '6&nbsp;PM' },
      actions: [{ text: '<b>Held</b>', outcome: null }],
      matterName: String.raw`{\rtf1{\fonttbl}}`,
    }),
  ).toEqual({
    title: 'One two',
    text: 'One\ntwo',
    matterFile: null,
    sequence: 5,
    sourceUrl: 'https://example.org/?a=1&copy;=2',
    startTime: { sourceText: '6 PM' },
    actions: [{ text: 'Held', outcome: null }],
    matterName: '(no text)',
  });
});
