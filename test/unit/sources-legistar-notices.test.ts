import { describe, expect, it } from 'vitest';
import { meetingStatus } from '../../src/sources/legistar/map-event.ts';
import { noticeInComment, noticeInLocation, noticeInStatusName } from '../../src/sources/legistar/notices.ts';
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
  ])('%j cancels the meeting', (text) => {
    expect(noticeInComment(text, context)).toBe('cancelled');
  });

  it.each(['Meeting postponed to March 31', 'POSTPONED', 'This meeting has been rescheduled to April 2 at 9:00 AM.'])(
    '%j postpones it',
    (text) => {
      expect(noticeInComment(text, context)).toBe('postponed');
    },
  );

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
  ])('%j does not change the meeting', (text) => {
    expect(noticeInComment(text, context)).toBeNull();
  });
});

describe('a location', () => {
  it.each(['CANCELLED', 'Council Chambers - CANCELLED', 'Council Chambers (Meeting Cancelled)', 'City Hall\nMEETING CANCELED'])(
    '%j cancels the meeting',
    (text) => {
      expect(noticeInLocation(text, context)).toBe('cancelled');
    },
  );

  it('is only a place if it contains nothing else', () => {
    expect(noticeInLocation('COUNCIL CHAMBERS, CITY HALL\nbit.ly/example', context)).toBeNull();
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
