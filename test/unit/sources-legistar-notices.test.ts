import { describe, expect, it } from 'vitest';
import { meetingStatus } from '../../src/sources/legistar/map-event.ts';
import { bodyNameIn } from '../../src/sources/listed/listed-reader.ts';
import { noticeInComment, noticeInLocation, noticeInStatusName } from '../../src/sources/legistar/notices.ts';
import { outcomeOf } from '../../src/sources/legistar/outcomes.ts';
import { eventItemRow, eventRow } from '../../src/sources/legistar/rows.ts';

const context = { bodyName: 'City Council', day: '2026-03-24', sessions: false };

describe('a comment', () => {
  it.each([
    'CANCELLED',
    '*** CANCELED ***',
    'Cancelled due to weather',
    'Meeting cancelled',
    'MEETING CANCELLED - LACK OF QUORUM',
    'This meeting has been cancelled.',
    'The March 24, 2026 City Council meeting has been canceled.',
    "Today's regular meeting is cancelled",
    'Due to inclement weather, the meeting has been cancelled.',
    'Please note that the meeting scheduled for 3/24/2026 at 6:00 p.m. has been cancelled.',
    'NOTICE OF CANCELLATION',
    'Notice of meeting cancellation',
    'Sign language is provided.\nThe meeting is cancelled.',
    'CANCELLED: no quorum',
    'Cancelled (no quorum)',
    'MEETING CANCELLED (If you have questions, call 214-555-0100)',
    'Meeting cancelled, if you have questions call 214-555-0100',
    'CANCELLED - NO AGENDA ITEMS',
    'Cancelled - No Business',
    'CANCELLED - MLK Day',
    'CANCELLED – Presidents Day',
    'CANCELLED - Martin Luther King Jr. Day',
    'Cancelled - Quorum was not met',
    'Cancelled: Good Friday',
    'CANCELLED MEETING',
    'Canceled 3/20/2026',
    'CANCELLED ON MARCH 20, 2026',
    'CANCELLED AND RESCHEDULED TO MARCH 31',
    'City Council - CANCELLED',
    'City Council (CANCELLED)',
    'City Council CANCELLED',
    'City Council - CANCELLED - Mar 24 2026',
    'City Council - Mar 24 2026 - CANCELLED',
    'Cancelled City Council',
    'NO QUORUM - MEETING NOT HELD',
    'Meeting will not be held',
    'The meeting will not be held on March 24.',
    'The City Council will not meet this week',
    'NO MEETING',
    'There will be no meeting due to the holiday.',
    'Not held',
    'No meeting will be held.',
    'No meeting - holiday',
    'Meeting not held - no quorum',
    'The City Council will not meet on Tuesday, March 24, 2026 due to the primary election',
    'Cancelled: inclement weather',
    'Cancelled - Thanksgiving holiday',
    'Cancelled: regular City Council meeting',
    'Meeting cancelled; next meeting March 31',
  ])('%j cancels the meeting', (text) => {
    expect(noticeInComment(text, context)).toBe('cancelled');
  });

  it.each([
    'Meeting postponed to March 31',
    'POSTPONED',
    'This meeting has been rescheduled to April 2 at 9:00 AM.',
    'Meeting rescheduled from March 24 to March 31',
    'Meeting rescheduled from its usual day to March 31',
    'Meeting postponed to 2:00 PM on Tuesday, March 31',
    'Meeting postponed to 2:00 PM next week',
    'City Council postponed until further notice',
    'Postponed: City Council',
    'Meeting rescheduled from today to tomorrow',
    'Meeting rescheduled from this Tuesday to next Tuesday',
    'Meeting postponed to 2:00 p.m. on the 31st',
    'Meeting postponed to 2 pm, the following day',
    'Meeting postponed until 1:00 pm on Wed.',
  ])('%j postpones it', (text) => {
    expect(noticeInComment(text, context)).toBe('postponed');
  });

  it.each([
    null,
    '',
    'DELAYED START DUE TO WEATHER EMERGENCY MEETING WILL BEGIN AT 12:00 PM',
    'SPECIAL CALLED MEETING  CITY COUNCIL WORKSHOP ON THE 2026 BOND PROGRAM',
    'Item 5 has been cancelled',
    'Cancelled items: 3, 4',
    'The May election has been cancelled.',
    'The meeting has not been cancelled.',
    'The Housing Committee meeting has been cancelled.',
    'The meeting scheduled for March 17, 2026 has been cancelled.',
    'The City Council work session has been cancelled.',
    'Discussion of the cancelled contract',
    'Minutes of the meeting that was cancelled',
    'If the meeting is cancelled a notice will be posted.',
    'Public hearing - CANCELLED',
    'CANCELLED: items 3 and 4',
    'Cancelled - item 5',
    'Cancelled meeting of March 17',
    'Cancelled contracts 2026',
    'City Council cancelled the lease of 12 Elm Street',
    'City Council Worksession cancelled',
    'The Zoning Commission - CANCELLED',
    'Meeting will not be held in person',
    'Meeting will not be held on March 17',
    'The meeting will not be held at City Hall.',
    'Public comment will not be held',
    'No meeting room is free',
    'Special Called Meeting (rescheduled from March 17)',
    'Meeting rescheduled from March 17',
    'Meeting rescheduled from March 17 to March 24',
    'Regular meeting rescheduled from 3/17/2026',
    'Meeting rescheduled from last week',
    'Meeting rescheduled to March 24',
    'Meeting postponed to 2:00 PM due to weather',
    'POSTPONED UNTIL 2:00 P.M.',
    'Meeting postponed by one hour',
    'Rescheduled meeting',
    'Cancelled: executive session',
    'Cancelled: 2:00 p.m. briefing; regular meeting at 6:00 p.m.',
    'Canceled: Public hearing on Z-123',
    'Cancelled: Zoning Case Z234-100',
    'Canceled: live stream',
    'CANCELLED: Lunch',
    'Cancelled: Budget Committee',
    'Cancelled, Public hearing only',
    'Postponed: Z-123 public hearing',
    'CANCELLED: March 31 meeting',
    'Canceled: Tuesday, March 31 meeting',
    'Cancelled Tuesday, March 31',
    'City Council cancelled March 31',
    'Cancelled - March 31',
    'The meeting previously cancelled has been reinstated',
    'Meeting may be cancelled',
    'Regular meeting cancelled; special meeting March 24',
    'Meeting rescheduled to begin at 2:00 p.m.',
    'Meeting rescheduled to today at 3 pm',
    'Meeting rescheduled to Room 6ES',
    'Meeting rescheduled to 10:00',
    'Rescheduled to a later time',
    'Meeting postponed: 2 p.m.',
    'Meeting rescheduled from Monday to Tuesday',
    'Meeting will be cancelled if there is no quorum',
    'CANCELLED IF NO QUORUM',
    'Meeting cancelled unless a quorum is present',
    'The meeting will be cancelled in the event of bad weather',
    'Meeting will be postponed if it rains',
  ])('%j does not change the meeting', (text) => {
    expect(noticeInComment(text, context)).toBeNull();
  });
});

describe('a location', () => {
  it.each([
    'CANCELLED',
    'Council Chambers - CANCELLED',
    'Council Chambers (Meeting Cancelled)',
    'City Hall\nMEETING CANCELED',
    'City Hall - REGULAR SESSION CANCELLED',
    'City Council Work Session Room - CANCELLED',
    'MEETING CANCELLED (If you have questions, call 214-555-0100)',
    'CANCELLED! If a room is needed, call 214-555-0100',
    'City Hall (side door if locked) - CANCELLED',
  ])('%j cancels the meeting', (text) => {
    expect(noticeInLocation(text, context)).toBe('cancelled');
  });

  it('cancels a work session where nothing else is on the agenda', () => {
    expect(noticeInLocation('City Hall - WORK SESSION CANCELLED', { ...context, sessions: true })).toBe('cancelled');
  });

  it('is only a place if it contains nothing else', () => {
    expect(noticeInLocation('COUNCIL CHAMBERS, CITY HALL\nbit.ly/example', context)).toBeNull();
    expect(noticeInLocation('CITY HALL, POSTPONED TO 2:00 PM', context)).toBeNull();
    expect(noticeInLocation('CITY HALL, POSTPONED TO MARCH 31', context)).toBe('postponed');
    expect(noticeInLocation('City Hall - POSTPONED FROM MARCH 24 TO MARCH 31', context)).toBe('postponed');
    expect(noticeInLocation('City Hall - POSTPONED FROM MARCH 17 TO MARCH 24', context)).toBeNull();
  });

  it.each(['JOINT SESSION CANCELLED', 'City Hall - EMERGENCY SESSION CANCELLED', 'Council Briefing CANCELLED'])('%j cancels it', (text) => {
    expect(noticeInLocation(text, context)).toBe('cancelled');
  });

  it.each([
    'CANCELLED: Item 5',
    'Cancelled - Agenda Item 12',
    'City Hall - CANCELLED: March 31 meeting',
    'Cancelled - March 31',
    'Executive Session CANCELLED',
    'City Hall, EXECUTIVE SESSION - CANCELLED',
    'City Hall - CANCELLED: Executive Session',
    'City Hall - Work Session CANCELLED',
    'City Hall, Meeting will be CANCELLED if there is no quorum',
    'City Hall. If there is no quorum, the meeting will be cancelled.',
  ])('%j does not cancel the meeting', (text) => {
    expect(noticeInLocation(text, context)).toBeNull();
  });
});

describe('a long text', () => {
  it.each([
    ['dashes', '-'.repeat(100_000)],
    ['colons', ': -'.repeat(33_000)],
    ['spaces', ' '.repeat(100_000)],
  ])('of %s is read in the time of one', (_, run) => {
    const start = performance.now();
    for (const text of [`${run}x`, `meeting ${run}x cancelled`]) {
      bodyNameIn(text);
      noticeInComment(text, context);
      noticeInLocation(text, context);
      const none = { EventItemActionName: null, EventItemActionText: null, EventItemPassedFlagName: null };
      outcomeOf({ ...none, EventItemTitle: text });
    }
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('a status name', () => {
  it('cancels and postpones', () => {
    expect(noticeInStatusName('Cancelled')).toBe('cancelled');
    expect(noticeInStatusName('Meeting Canceled')).toBe('cancelled');
    expect(noticeInStatusName('Postponed')).toBe('postponed');
    expect(noticeInStatusName('Final')).toBeNull();
    expect(noticeInStatusName(null)).toBeNull();
  });
});

const event = (fields: Record<string, unknown> = {}) =>
  eventRow.parse({ EventId: 1, EventBodyId: 2, EventBodyName: 'City Council', EventDate: '2026-03-24T00:00:00', ...fields });

const items = (...titles: (string | null)[]) =>
  titles.map((title, index) => eventItemRow.parse({ EventItemId: index, EventItemAgendaSequence: index + 1, EventItemTitle: title }));

const NOTICE = 'The City Council Meeting scheduled for Tuesday March 24, 2026, has been cancelled.\n\n';

describe('the status of a meeting', () => {
  it('is cancelled by an item that cancels it, alone or beside a page break', () => {
    expect(meetingStatus(event(), items(NOTICE), '2026-03-24')).toBe('cancelled');
    expect(meetingStatus(event(), items(NOTICE, 'Page Break'), '2026-03-24')).toBe('cancelled');
    expect(meetingStatus(event(), items('Page break\n', NOTICE, null), '2026-03-24')).toBe('cancelled');
  });

  it('is cancelled by a notice behind its time', () => {
    expect(meetingStatus(event({ EventTime: '2:00 PM - CANCELLED' }), [], '2026-03-24')).toBe('cancelled');
    expect(meetingStatus(event({ EventTime: '2:00 PM - 3:00 PM' }), [], '2026-03-24')).toBe('scheduled');
  });

  it('is not cancelled by an item among others', () => {
    expect(meetingStatus(event(), items(NOTICE, 'Call to order'), '2026-03-24')).toBe('scheduled');
  });

  it('is not cancelled by an item that merely mentions something cancelled', () => {
    for (const title of [
      'Authorize cancellation of the contract with Example Company',
      'An ordinance declaring the May election cancelled',
      'Page Break',
    ]) {
      expect(meetingStatus(event(), items(title), '2026-03-24')).toBe('scheduled');
    }
  });

  it('is not cancelled by an item about a meeting on another day', () => {
    expect(meetingStatus(event({ EventDate: '2026-03-31T00:00:00' }), items(NOTICE), '2026-03-31')).toBe('scheduled');
  });

  it('is held only with final minutes or a published recording', () => {
    expect(meetingStatus(event({ EventMinutesStatusName: 'Final' }), [], '2026-03-24')).toBe('held');
    expect(meetingStatus(event({ EventVideoStatus: 'Public', EventVideoPath: 'https://video.example.org/1' }), [], '2026-03-24')).toBe(
      'held',
    );
    expect(meetingStatus(event({ EventVideoStatus: 'Public', EventMedia: 4711 }), [], '2026-03-24')).toBe('held');
    expect(meetingStatus(event({ EventVideoStatus: 'Public', EventMinutesStatusName: 'Draft' }), [], '2026-03-24')).toBe('scheduled');
  });

  it('is cancelled by a notice even with final minutes', () => {
    expect(meetingStatus(event({ EventMinutesStatusName: 'Final', EventComment: 'CANCELLED' }), [], '2026-03-24')).toBe('cancelled');
  });
});

describe('the name of a listed meeting', () => {
  it.each(['Zoning Commission - NO MEETING', 'Zoning Commission Not Held'])('%j names the body of a meeting that is not held', (name) => {
    expect(bodyNameIn(name)).toBe('Zoning Commission');
    expect(meetingStatus(event({ EventBodyName: bodyNameIn(name), EventComment: name }), [], '2026-03-24')).toBe('cancelled');
  });

  it.each([
    'Zoning Commission',
    'Zoning Commission - Mar 24 2026',
    'CANCELLED - Zoning Commission - Mar 24 2026',
    'Zoning Commission - CANCELLED - Mar 24 2026',
    'Zoning Commission - Mar 24 2026 - CANCELLED',
    'Zoning Commission (Cancelled) - Mar 24 2026',
    'Zoning Commission CANCELED',
    'Postponed: Zoning Commission',
    'Zoning Commission - CANCELED DUE TO WEATHER - Mar 24 2026',
    'Zoning Commission - Canceled for Lack of Quorum',
    'Zoning Commission - Cancelled - No Quorum',
    '(CANCELLED) Zoning Commission - Mar 24 2026',
    '*CANCELLED* Zoning Commission',
    'RESCHEDULED from March 17 - Zoning Commission - Mar 24 2026',
  ])('%j names the body and may say that the meeting is cancelled', (name) => {
    expect(bodyNameIn(name)).toBe('Zoning Commission');
    const isCancelled = /cancel/i.test(name);
    const status = meetingStatus(event({ EventBodyName: bodyNameIn(name), EventComment: name }), [], '2026-03-24');
    expect(status).toBe(isCancelled ? 'cancelled' : name.startsWith('Postponed') ? 'postponed' : 'scheduled');
  });
});
