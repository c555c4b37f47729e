import { expect, test } from 'vitest';
import { findInDocuments } from '../../commands/erasure/find-text.ts';
import { unread } from '../../domain/agenda-text/read-agenda.ts';
import { MemoryDocuments } from '../support/memory-documents.ts';

const ADDRESS = 'https://example.org/agenda/1';
const MEETING = '0190a1b2-0000-7000-8000-000000000001';

async function find(text: string, ignoreCase = false) {
  const documents = new MemoryDocuments();
  const version = { sha256: 'a', bytes: 1, mediaType: null, agenda: unread('invented'), readingVersion: 1 };
  const lines = 'Appointment of Jane\n  Roe to the board\nThanks to Rene\u0301e Poe';
  await documents.put(ADDRESS, { ...version, text: lines, validator: {}, checkedAt: 0 });
  await documents.link('a', { meetingId: MEETING, recordIds: [] });
  const places: object[] = [];
  for await (const place of findInDocuments(documents, { text, ignoreCase })) places.push(place);
  return places;
}

const PLACE = { type: 'StoredDocument', address: ADDRESS, record: MEETING };

test.each([
  ['over two lines', 'Jane Roe', false, [PLACE]],
  ['in another case', 'jane roe', true, [PLACE]],
  ['in another case where case matters', 'jane roe', false, []],
  ['with a combining accent', 'Ren\u00e9e Poe', false, [PLACE]],
  ['that it does not contain', 'Jane Poe', true, []],
])('a stored document is searched for a text %s', async (_, text, ignoreCase, places) => {
  expect(await find(text, ignoreCase)).toEqual(places);
});
