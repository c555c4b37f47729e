import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

const hex = (kind: string, index: number): string => createHash('sha1').update(`${kind} ${index}`).digest('hex');

/** A uuid that depends on kind and index alone, spread like a random one. */
export function uuidOf(kind: string, index: number): string {
  const h = hex(kind, index);
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-5${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
}

const SENTENCE =
  'Consider a request by the property owner for a change of zoning from agricultural to planned development, with the conditions that staff recommends and a traffic study. ';

/** Content of an agenda item whose published `data` has about 900 bytes. */
export const agendaItemContent = (index: number, revision = 0) => ({
  meetingId: uuidOf('meeting', index >> 5),
  agendaId: uuidOf('agenda', index >> 5),
  sourceRecordId: String(100_000 + index),
  sequence: index & 31,
  agendaNumber: `${(index & 31) + 1}.`,
  title: `Item ${index}: public hearing on case Z-${hex('case', index).slice(0, 6)}, revision ${revision}`,
  text: SENTENCE.repeat(2) + hex('text', index).repeat(2),
  matterFile: `24-${index}`,
  matterType: 'Zoning Case',
  actionText: null,
  outcome: null,
  sourceUrl: `https://records.example.org/city/agendas/${index >> 5}/items/${index}`,
});

/** One line of an import: the item of this index. */
const importLine = (index: number, revision = 0): string =>
  `${JSON.stringify({ op: 'upsert', resource: 'agenda_items', id: uuidOf('item', index), data: agendaItemContent(index, revision) })}\n`;

/** Writes the items from `from` on as NDJSON. */
export async function writeImportFile(path: string, from: number, count: number, revision = 0): Promise<void> {
  const file = createWriteStream(path);
  for (let index = from; index < from + count; index += 500) {
    let text = '';
    for (let each = index; each < Math.min(index + 500, from + count); each++) text += importLine(each, revision);
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}
