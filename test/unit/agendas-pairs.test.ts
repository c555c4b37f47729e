import { expect, test } from 'vitest';
import { pairMeetings, type Session } from '../../src/sources/agendas/pair-meetings.ts';

const at = (time: string | null) => (time === null ? null : Date.parse(`2026-09-15T${time}:00Z`));
const session = (id: string, time: string | null, fields: Partial<Session> = {}): Session => ({
  id,
  publicBodyId: 'court',
  day: '2026-09-15',
  startsAt: at(time),
  kind: '',
  isOff: false,
  ...fields,
});
const pairs = (events: readonly Session[], meetings: readonly Session[]) =>
  Object.fromEntries(pairMeetings(events, meetings));

test.each([
  ['at the same time', '09:00', '09:00', true],
  ['a quarter of an hour apart', '09:15', '09:00', true],
  ['more than that apart', '09:16', '09:00', false],
  ['of which one has no time', null, '09:00', true],
  ['of which the other has no time', '09:00', null, true],
  ['without times', null, null, true],
])('two single meetings of a day %s are one or not', (_case, event, meeting, isPaired) => {
  expect(pairs([session('event', event)], [session('meeting', meeting)])).toEqual(isPaired ? { event: 'meeting' } : {});
});

test.each([
  ['body', { publicBodyId: 'board' }],
  ['day', { day: '2026-09-16' }],
  ['state', { isOff: true }],
  ['kind, where one has no time', { kind: 'special', startsAt: null }],
] as const)('meetings of another %s are two', (_what, fields) => {
  expect(pairs([session('event', '09:00')], [session('meeting', '09:00', fields)])).toEqual({});
});

test('kinds do not matter where both times are known and one meeting begins then', () => {
  expect(pairs([session('event', '09:00')], [session('meeting', '09:00', { kind: 'special' })])).toEqual({
    event: 'meeting',
  });
});

test('an event that might be two meetings, and two events that might be one, are not joined', () => {
  const [first, second] = [session('first', '09:00'), session('second', '13:30')];
  expect(pairs([session('event', null)], [first, second])).toEqual({});
  expect(pairs([first, { ...second, startsAt: null }, session('third', null)], [session('meeting', null)])).toEqual({});
  expect(pairs([session('event', '09:05')], [first, session('close', '09:10')])).toEqual({});
});

test('times or kinds decide between two meetings of a day', () => {
  const meetings = [session('morning', '09:00'), session('afternoon', '13:30')];
  expect(pairs([session('event', '13:30'), session('other', null)], meetings)).toEqual({
    event: 'afternoon',
    other: 'morning',
  });
  const special = session('special', '09:00', { kind: 'special' });
  expect(pairs([session('event', '09:00')], [meetings[0]!, special])).toEqual({ event: 'morning' });
  expect(pairs([session('event', null, { kind: 'special' })], [meetings[0]!, special])).toEqual({ event: 'special' });
});

test('days with very many meetings are not compared', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => session(`event ${index}`, '09:00'));
  expect(pairs(many, [session('meeting', '09:00')])).toEqual({});
});
