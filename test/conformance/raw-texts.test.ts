import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordStream } from '../../domain/streams.ts';
import { councilOfDallas, document, hit, item, meeting, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

const rtf = (text: string) => String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\pard\f0 ${text}\par}`;

/** Records as an import or an older connector sent them. */
let served: ServedCivic;
beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  const changes = [
    ...councilOfDallas(),
    meeting('next', 7, {
      title: 'Sesi&oacute;n de marzo',
      location: 'Sal&oacute;n&nbsp;5',
      comment: rtf(String.raw`The Council\'92s room`),
    }),
    item('plaza', 'next', {
      title: rtf(String.raw`\'bfPlaza p\'fablica?`),
      text: rtf(String.raw`First words. The Council\'92s plan allows 40 flats.\par Last words &amp; more.`),
      actionText: rtf('Delayed'),
      matterType: 'Ordenanza p&uacute;blica',
    }),
    hit('plaza', 'plaza', {
      summary: rtf('Flats may be built.'),
      evidenceQuote: String.raw`The Council\'92s plan allows 40 flats.`.replace(String.raw`\'92`, '\u0092'),
    }),
    document('map', {
      agendaItemId: pageRecordId('agenda_items', 'plaza'),
      kind: 'exhibit',
      title: 'Plano &#8220;A&#8221;',
    }),
  ];
  await served.civic.writer.write(changes, {});
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
});
afterAll(async () => served?.close());

const MARKUP = /\\rtf|\\par|\\'|fonttbl|&amp;(?:amp|\w+acute|nbsp|#\d)|[\u0080-\u009f]/;

async function read(path: string): Promise<string> {
  const response = await fetch(`${served.baseUrl}${path}`, { headers: { accept: 'text/html' } });
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

test.each([
  [
    `/items/${pageRecordId('agenda_items', 'plaza')}`,
    [
      '¿Plaza pública?',
      'The Council’s plan allows 40 flats.</mark>',
      'Last words &amp; more.',
      'Plano “A”',
      'Flats may be built.',
    ],
  ],
  [
    `/meetings/${pageRecordId('meetings', 'next')}`,
    ['Sesión de marzo', 'Salón 5', 'The Council’s room', '¿Plaza pública?', 'Delayed'],
  ],
  ['/search?q=plaza', ['pública?']],
  ['/search?q=flats', ['The Council’s plan allows 40 flats.']],
  ['/search/atom.xml?q=flats', ['¿Plaza pública?']],
  ['/topics/zoning', ['Flats may be built.', '¿Plaza pública?']],
  ['/jurisdictions/dallas/bodies/city-council/calendar.ics', ['Sesión de marzo', 'The Council’s room']],
  ['/', ['The Council’s plan allows 40 flats.']],
])('%s has plain texts', async (path, texts) => {
  const page = await read(path);
  expect(texts.filter((text) => !page.includes(text))).toEqual([]);
  expect(MARKUP.exec(page)).toBeNull();
});

test('a record in the feed stays as it was sent', async () => {
  const [[, event] = []] = await served.civic.log.readLast([
    recordStream('agenda_items', pageRecordId('agenda_items', 'plaza')),
  ]);
  expect((JSON.parse(event!.data) as { title: string }).title).toBe(rtf(String.raw`\'bfPlaza p\'fablica?`));
});
