import { describe, expect, it } from 'vitest';
import { instantOf, localDate, minutesOfDay, utcStamp } from '../../src/sources/legistar/values.ts';

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
  ])('%j is not a certain time', (text) => {
    expect(minutesOfDay(text)).toBeNull();
  });
});

describe('local days', () => {
  it('are the calendar day of a local midnight', () => {
    expect(localDate('2026-03-10T00:00:00')).toBe('2026-03-10');
    expect(localDate('2026-03-10')).toBe('2026-03-10');
  });

  it.each(['2026-02-30T00:00:00', '3/10/2026', '', '2026-03-10x'])('%j is no day', (text) => {
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
