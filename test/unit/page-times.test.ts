import { ICalCalendar } from 'ical-generator';
import { expect, test } from 'vitest';
import { descriptionOf, startOf } from '../../src/edge/pages/calendar.ts';
import { meetingStatus } from '../../src/edge/pages/fragments.ts';
import { meetingTime } from '../../src/edge/pages/times.ts';

const STATED = { startsAt: '2026-04-16T22:00:00.000Z', timezone: 'America/New_York' };
const NOT_STATED = {
  startsAt: '2026-04-16T04:00:00.000Z',
  timezone: 'America/New_York',
  startTime: { status: 'not_stated', sourceText: 'after <the> briefing' },
} as const;

test('a meeting without a time has its day and the words of the source, and no time', () => {
  const text = meetingTime(NOT_STATED).toString();
  expect(text).toContain(
    '<time datetime="2026-04-16">Thursday, April 16, 2026</time> (time not stated: “after &lt;the',
  );
  expect(text).not.toMatch(/12:00|EDT/);
  expect(meetingTime({ ...NOT_STATED, startTime: { status: 'not_stated', sourceText: null } }).toString()).toContain(
    '(time not stated)',
  );
  expect(meetingTime(STATED).toString()).toContain('6:00 PM EDT');
});

test('a meeting without a start time is an all-day entry of a calendar on its local day', () => {
  const calendar = (meeting: typeof STATED) => {
    const calendar = new ICalCalendar({ name: 'x' });
    calendar.createEvent({ id: 'a', summary: 'b', ...startOf(meeting as never) });
    return calendar.toString();
  };
  expect(calendar(NOT_STATED)).toMatch(/DTSTART;VALUE=DATE:20260416\r?\n/);
  expect(calendar({ ...NOT_STATED, startsAt: '2026-04-16T12:00:00.000Z', timezone: 'Asia/Tokyo' })).toContain(
    'VALUE=DATE:20260416',
  );
  expect(calendar(STATED)).toContain('DTSTART:20260416T220000Z');
});

test('an entry of a calendar quotes the source if it states no time, and adds nothing to a stated one', () => {
  const described = (meeting: object) =>
    descriptionOf({ ...meeting, sourceUrl: 'https://city.example.org/1' } as never);
  expect(described({ ...NOT_STATED, comment: 'Room 5' })).toBe(
    'Time not stated: “after <the> briefing”\nRoom 5\nOfficial record: https://city.example.org/1',
  );
  expect(described({ ...NOT_STATED, startTime: { status: 'not_stated', sourceText: null } })).toMatch(
    /^Time not stated\n/,
  );
  expect(described(STATED)).toBe('Official record: https://city.example.org/1');
});

test('only a status that says more than the day is shown: a past meeting may be scheduled for ever', () => {
  expect(meetingStatus('scheduled')).toBe(false);
  expect(String(meetingStatus('cancelled'))).toContain('cancelled');
});
