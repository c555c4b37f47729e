import { describe, expect, it } from 'vitest';
import { instantOf, localDate, minutesOfDay, toTwelveHourTime, utcStamp } from '../../src/sources/agendas/values.ts';

const ZONE = 'America/Chicago';

describe('times typed by hand', () => {
  it.each([
    ['9:00 AM', 540],
    ['9:00AM', 540],
    [' 9:05 a.m. ', 545],
    ['1 PM', 780],
    ['12:00 PM', 720],
    ['12:15 AM', 15],
    ['Noon', 720],
    ['12:00 Noon', 720],
    ['9:00\u202fAM', 540],
    ['18:30', 1110],
    ['1:00 PM - 3:00 PM', 780],
    ['9 a.m.–Noon', 540],
    ['10:00 AM to 12:30 PM', 600],
    ['8:30-9:30 AM', 510],
    ['1:00 - 3:00 PM', 780],
    ['9 to 11 a.m.', 540],
    ['9:00 - 11:00 AM', 540],
    ['2:00 PM - CANCELLED', 840],
    ['2:00 PM (Cancelled)', 840],
    ['CANCELLED - 2:00 PM', 840],
    ['13:00:00', 780],
    ['09:30:00', 570],
    ['18:30 hrs', 1110],
    ['6 pm', 1080],
    ['6.30pm', 1110],
    ['6:00 P. M.', 1080],
    ['12 noon', 720],
    ['12:00 PM (Noon)', 720],
    ['6:00 PM*', 1080],
    ['*6:00 PM*', 1080],
    ['1:00 PM (note new time)', 780],
    ['1:00 p.m. - Revised', 780],
    ['NEW TIME: 1:00 PM', 780],
    ['Moved to 2:00 PM', 840],
    ['TIME CHANGE 2:00 PM', 840],
    ['6: 00 PM', 1080],
    ['Starts at 6 pm sharp', 1080],
    ['6:00 PM - Room 204', 1080],
    ['9:00 AM, 2nd floor', 540],
    ['6:00 PM - 8', 1080],
    ['1:00PM CST', 780],
    ['1:00 PM CST - 3:00 PM CST', 780],
  ])('%j is %i minutes after midnight', (text, minutes) => {
    expect(minutesOfDay(text)).toBe(minutes);
  });

  it.each([
    null,
    undefined,
    '',
    'TBD',
    '9:00',
    '13:00 PM',
    '0:30 AM',
    '9:60 AM',
    'after the briefing',
    '9:00 AM or later',
    '11:00 - 1:00 PM',
    '9:00 - 5:00 PM',
    '9:00 - Noon',
    '1:00 - 3:00',
    'CANCELLED',
    '9:00 AM - late',
    '9:00 AM - 10:00 AM - 11:00 AM',
    '- 3:00 PM',
    'to',
    'midnight',
    '25:00',
    '9:00 AM or immediately following the workshop',
    'Immediately following the 1:00 PM workshop',
    'after adjournment',
    '6:00 PM upon adjournment of the board',
    '10:00 AM and 6:00 PM',
    '6:00 PM / 7',
    '6:00 PM (changed to 7)',
    '6:00 PM (tentative)',
    '6:00 PM NOT CONFIRMED',
    '6:00 PM - not yet confirmed',
    '6:00 PM (subject to change)',
    '6:00 PM?',
    'approximately 6:00 PM',
    '6:00 PM on Tuesday',
    '6:00 PM, 3/25',
    '2nd floor, 6 pm',
    `6:00 PM ${'x'.repeat(100)}`,
    `6:00 PM${' '.repeat(200)}or later`,
  ])('%j is not a certain time', (text) => {
    expect(minutesOfDay(text)).toBeNull();
  });

  it.each([
    '12:00 AM',
    '12:00 a.m.',
    '12 AM',
    '12:00:00 AM',
    '00:00',
    '0:00',
    '00:00:00',
    'Midnight',
    '12:00 AM - 5:00 PM',
  ])('%j is a placeholder, not a time', (text) => {
    expect(minutesOfDay(text)).toBeNull();
  });

  it.each([
    '1:00PM CST',
    '1:00 PM CDT',
    '1 PM (CT)',
    '1:00 PM, Central',
    '1:00 p.m. Central Daylight Savings Time',
    '1:00 PM local time',
  ])('%j is the time in Chicago, in winter and summer', (text) => {
    expect(minutesOfDay(text, { day: '2026-01-13', timezone: ZONE })).toBe(780);
    expect(minutesOfDay(text, { day: '2026-07-14', timezone: ZONE })).toBe(780);
  });

  it.each([
    '1:00PM EST',
    '1:00 PM MT',
    '1:00 PM (Pacific Time)',
    '1:00 PM Eastern',
    '1:00 PM - 3:00 PM EDT',
    '13:00 UTC',
    '13:00 GMT',
  ])('%j is no time of Chicago', (text) => {
    expect(minutesOfDay(text, { day: '2026-07-14', timezone: ZONE })).toBeNull();
  });

  it('takes no name of a zone that a place never uses', () => {
    expect(minutesOfDay('1:00 PM MST', { day: '2026-07-14', timezone: 'America/Phoenix' })).toBe(780);
    expect(minutesOfDay('1:00 PM MDT', { day: '2026-07-14', timezone: 'America/Phoenix' })).toBeNull();
  });
});

describe('times of the day in a time stamp', () => {
  it.each([
    ['2024-12-03T10:00:00', '10:00 AM'],
    ['2024-12-03T12:30:00Z', '12:30 PM'],
    ['2024-12-03T00:30:00', '12:30 AM'],
    ['2024-12-03T00:00:00', null],
    ['2024-12-03T25:10:00', null],
    ['2024-12-03T10:75:00', null],
    ['2024-12-03', null],
  ])('%j is %j', (text, time) => {
    expect(toTwelveHourTime(text)).toBe(time);
  });
});

describe('local days', () => {
  it('are the calendar day of a local midnight', () => {
    expect(localDate('2026-03-10T00:00:00')).toBe('2026-03-10');
    expect(localDate('2026-03-10')).toBe('2026-03-10');
  });

  it.each(['2026-02-30T00:00:00', '3/10/2026', '', '2026-03-10x'])('%j is not a day', (text) => {
    expect(localDate(text)).toBeNull();
  });
});

describe('instants', () => {
  it('follow the zone through winter and summer', () => {
    expect(instantOf('2026-01-13', 18 * 60, ZONE)).toBe('2026-01-14T00:00:00.000Z');
    expect(instantOf('2026-07-14', 18 * 60, ZONE)).toBe('2026-07-14T23:00:00.000Z');
    expect(instantOf('2026-03-08', 9 * 60, ZONE)).toBe('2026-03-08T14:00:00.000Z');
    expect(instantOf('2026-11-01', 9 * 60, ZONE)).toBe('2026-11-01T15:00:00.000Z');
  });

  it('in the hour that the clocks skip use the offset before the change', () => {
    expect(instantOf('2026-03-08', 2 * 60 + 30, ZONE)).toBe('2026-03-08T08:30:00.000Z');
    expect(instantOf('2026-03-08', 60 + 59, ZONE)).toBe('2026-03-08T07:59:00.000Z');
    expect(instantOf('2026-03-08', 3 * 60, ZONE)).toBe('2026-03-08T08:00:00.000Z');
  });

  it('in the hour that the clocks repeat are the first of the two', () => {
    expect(instantOf('2026-11-01', 60 + 30, ZONE)).toBe('2026-11-01T06:30:00.000Z');
    expect(instantOf('2026-11-01', 2 * 60, ZONE)).toBe('2026-11-01T08:00:00.000Z');
  });

  it('of stamps without a zone are in UTC', () => {
    expect(utcStamp('2026-04-11T09:14:44')).toBe('2026-04-11T09:14:44.000Z');
    expect(utcStamp('yesterday')).toBeNull();
    expect(utcStamp(null)).toBeNull();
  });
});
