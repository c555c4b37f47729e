import { expect, test } from 'vitest';
import { eventItemRow, eventRow } from '../../src/sources/agendas/rows.ts';
import { eventsAtOnce, joinTwins, readForTwins } from '../../src/sources/agendas/twins.ts';

const event = (EventId: number, fields: object = {}) =>
  eventRow.parse({ EventId, EventBodyId: 7, EventDate: '2026-03-10T00:00:00', EventTime: '6:00 PM', ...fields });

interface EventTexts {
  readonly fields?: object;
  readonly items?: readonly object[];
  readonly isPublished?: boolean;
}

/** The ids of the events of each meeting, its own first, and of the event whose items it has. */
async function meetingsOf(texts: Readonly<Record<number, EventTexts>>): Promise<readonly string[]> {
  const readings = await Promise.all(
    Object.entries(texts).map(async ([id, { fields, items = [], isPublished = false }]) => {
      const row = event(Number(id), fields);
      const rows = items.map((item, index) =>
        eventItemRow.parse({ EventItemId: Number(id) * 100 + index, EventItemAgendaSequence: index + 1, ...item }),
      );
      return { row, isPublished, ...(await readForTwins(row, rows)) };
    }),
  );
  return joinTwins(readings).map(
    ({ main, twins, agenda }) => `${[main, ...twins].map(({ row }) => row.EventId).join('+')} ${agenda.row.EventId}`,
  );
}

const item = (
  EventItemTitle: string,
  EventItemMatterFile: string | null = null,
  EventItemAgendaNumber: string | null = null,
) => ({
  EventItemTitle,
  EventItemMatterFile,
  EventItemAgendaNumber,
});
const REGULAR = [
  item('Call to order'),
  item('Approval of a lease for the library', '26-1'),
  item('Rules for parks', '26-2'),
];
const SPECIAL = [item('Call to order'), item('Interview of a candidate', '26-9')];

test('events of one body begin at once where day and minute are equal, however the time is written', async () => {
  const events = [
    event(1),
    event(2, { EventTime: '6 p.m.' }),
    event(3, { EventTime: '7:00 PM' }),
    event(4, { EventBodyId: 8 }),
    event(5, { EventDate: '2026-03-11T00:00:00' }),
    event(6, { EventTime: 'TBD' }),
    event(7, { EventTime: 'TBD' }),
  ];
  const groups = await eventsAtOnce(events, 'America/Chicago');
  expect([...groups].map(([id, group]) => [id, group.map(({ EventId }) => EventId)])).toEqual([
    [1, [1, 2]],
    [2, [1, 2]],
  ]);
  const many = Array.from({ length: 100 }, (_, n) => event(n));
  expect((await eventsAtOnce(many, 'America/Chicago')).size).toBe(0);
});

test('the meeting is the published event, else the one with items, else the one with the lower id', async () => {
  expect(await meetingsOf({ 1: { items: REGULAR }, 2: { items: REGULAR } })).toEqual(['1+2 1']);
  expect(await meetingsOf({ 1: {}, 2: { items: REGULAR } })).toEqual(['2+1 2']);
  expect(await meetingsOf({ 1: { isPublished: true }, 2: { items: REGULAR } })).toEqual(['1+2 2']);
  expect(await meetingsOf({ 1: { items: REGULAR }, 2: { items: REGULAR, isPublished: true } })).toEqual(['2+1 2']);
  expect(await meetingsOf({ 1: { isPublished: true }, 2: { items: REGULAR, isPublished: true } })).toEqual(['2+1 2']);
});

test('an agenda that is part of the other is the same meeting, and one with other items is not', async () => {
  expect(await meetingsOf({ 1: { items: REGULAR }, 2: { items: REGULAR.slice(0, 2) } })).toEqual(['1+2 1']);
  expect(await meetingsOf({ 1: { items: REGULAR }, 2: { items: SPECIAL } })).toEqual(['1 1', '2 2']);
  // The agenda with more items is shown; two with different items do not become one by a third that has neither.
  expect(await meetingsOf({ 1: { items: REGULAR.slice(0, 1) }, 2: { items: REGULAR } })).toEqual(['1+2 2']);
  expect(await meetingsOf({ 1: { items: REGULAR.slice(0, 1) }, 2: { items: REGULAR }, 3: { items: SPECIAL } })).toEqual(
    ['1+2 2', '3 3'],
  );
});

test('an agenda in two languages is that of one meeting', async () => {
  const spanish = [
    item('Llamada al orden'),
    item('Contrato de arrendamiento', '26-1'),
    item('Reglas de los parques', '26-2'),
  ];
  const withoutFiles = (items: typeof REGULAR) =>
    items.map(({ EventItemTitle }, n) => item(EventItemTitle, null, `${n + 1}.`));
  const english = [item('Approval of the minutes'), item('Budget for the library'), item('Rules for parks')];
  const translated = [
    item('Aprobación de las actas'),
    item('Presupuesto de la biblioteca'),
    item('Reglas de los parques'),
  ];
  expect(await meetingsOf({ 1: { items: REGULAR.slice(1) }, 2: { items: spanish.slice(1) } })).toEqual(['1+2 1']);
  expect(await meetingsOf({ 1: { items: withoutFiles(english) }, 2: { items: withoutFiles(translated) } })).toEqual([
    '1+2 1',
  ]);
  const other = [item('Interview of a candidate'), item('Report of the manager'), item('Rules of order')];
  expect(await meetingsOf({ 1: { items: withoutFiles(english) }, 2: { items: withoutFiles(other) } })).toEqual([
    '1 1',
    '2 2',
  ]);
  expect(
    await meetingsOf({ 1: { items: withoutFiles(english) }, 2: { items: withoutFiles(translated).slice(1) } }),
  ).toEqual(['1 1', '2 2']);
});

test.each([
  ['one is cancelled', { EventComment: 'CANCELLED' }],
  ['one is a special meeting', { EventComment: 'SPECIAL CALLED MEETING' }],
  ['one is a work session', { EventComment: 'Work session' }],
  ['one is an extraordinary meeting, in Spanish', { EventComment: 'Sesión extraordinaria' }],
  ['they have other titles', { EventTitle: 'Board of Adjustment' }],
])('two events are two meetings where %s', async (_what, fields) => {
  expect(await meetingsOf({ 1: { items: REGULAR }, 2: { fields } })).toEqual(['1 1', '2 2']);
});

test('an event that is held is the twin of one that is still scheduled', async () => {
  expect(await meetingsOf({ 1: { items: REGULAR }, 2: { fields: { EventMinutesStatusName: 'Final' } } })).toEqual([
    '1+2 1',
  ]);
});

test('events without any agenda are two meetings, and a draft has none', async () => {
  expect(await meetingsOf({ 1: {}, 2: {} })).toEqual(['1 1', '2 2']);
  expect(await meetingsOf({ 1: {}, 2: { items: REGULAR, fields: { EventAgendaStatusName: 'Draft' } } })).toEqual([
    '1 1',
    '2 2',
  ]);
});

test('of three events, two may be one meeting', async () => {
  expect(await meetingsOf({ 1: { items: REGULAR }, 2: { items: SPECIAL }, 3: { items: REGULAR } })).toEqual([
    '1+3 1',
    '2 2',
  ]);
});

test('a file that the meeting lacks is that of its twin, and further files of twins are added', async () => {
  const url = (name: string) => `https://site.example.org/${name}.pdf`;
  const read = async (id: number, fields: object, items: readonly object[]) => {
    const rows = items.map((each, n) =>
      eventItemRow.parse({ EventItemId: n, EventItemAgendaSequence: n + 1, ...each }),
    );
    const row = event(id, fields);
    return { row, isPublished: false, ...(await readForTwins(row, rows)) };
  };
  const main = await read(1, { EventAgendaFile: url('a') }, REGULAR);
  const twin = await read(
    2,
    { EventAgendaFile: url('b'), EventMinutesFile: url('m'), EventMinutesStatusName: 'Final' },
    [],
  );
  const same = await read(
    3,
    { EventAgendaFile: url('a'), EventMinutesFile: url('h'), EventMinutesStatusName: 'Not public' },
    [],
  );
  const [meeting] = joinTwins([main, twin, same]);
  expect(meeting!.row).toMatchObject({ EventId: 1, EventAgendaFile: url('a'), EventMinutesFile: url('m') });
  expect(meeting!.added).toEqual({ files: [{ kind: 'agenda', url: url('b'), eventId: 2 }], isHeld: true });
});
