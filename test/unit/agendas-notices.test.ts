import { describe, expect, it } from 'vitest';
import { bodyNameIn } from '../../src/sources/listed/listed-reader.ts';
import { noticeInComment, noticeInLocation, noticeInStatusName } from '../../src/sources/agendas/notices/notices.ts';
import { outcomeOf } from '../../src/sources/agendas/outcomes.ts';

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
    'CANCELED/CANCELADA',
    'Canceled (Cancelada)',
    'REUNIÓN CANCELADA / MEETING CANCELED',
    'City Council Meeting CANCELED / Reunión del Concejo Municipal CANCELADA',
    'Reunión cancelada',
    'La reunión ha sido cancelada.',
    'La reunión programada para el 24 de marzo de 2026 a las 6:00 p.m. ha sido cancelada',
    'Ha sido cancelada la reunión del Concejo Municipal',
    'Esta reunión queda cancelada por falta de quórum',
    'Queda cancelada la sesión ordinaria',
    'Se canceló la reunión del 24 de marzo',
    'La sesión de hoy ha sido suspendida',
    'Aviso de cancelación',
    'No habrá reunión',
    'Por motivos de salud la reunión ha sido cancelada',
    'La reunión no se llevará a cabo',
    'Meeting called off due to ice',
    'Meeting did not occur due to lack of quorum',
    'Did not take place due to weather',
    'The meeting was not convened',
    "The meeting wasn't called to order",
    'Meeting could not be held due to a lack of quorum',
    'Meeting failed for lack of a quorum',
    'The City Council did not meet due to lack of a quorum',
    'Lack of quorum; meeting did not occur',
    'There was no quorum and the meeting was not held',
    'A quorum was not present; the meeting was never held.',
    'As a quorum was not present, the meeting was not convened.',
    'No meeting was held due to lack of quorum',
    'The meeting is not taking place due to weather',
    'The City Council was unable to convene due to lack of quorum',
    'ATENCIÓN: REUNIÓN CANCELADA',
    'No Quorum',
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
    'MEETING POSTPONED / REUNIÓN APLAZADA',
    'La reunión fue aplazada al 31 de marzo',
    'Reunión reprogramada para el martes 31 de marzo',
    'Pospuesta hasta nuevo aviso',
    'Se pospone la reunión al 31 de marzo',
    'Meeting deferred to January 12, 2027',
    'The City Council meeting has been deferred until further notice',
    'Meeting has been moved to December 20',
    'Meeting has moved from March 24 to March 31',
    'Meeting moved to Thursday, March 26 at 2:00 p.m.',
    'Meeting moved to 2:00 pm on March 31',
    'Meeting moved to the following week',
    'The meeting has been moved to a later date',
    'Meeting moved up to March 20',
    'Meeting date changed to 4/7/2026',
    'Meeting shifted to March 26',
    'Meeting has been deferred for two weeks',
    'Meeting delayed until December 18',
    'Meeting continued to January 5, 2027',
    'The meeting has been continued to March 31',
    'La reunión fue trasladada al 31 de marzo',
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
    'City Council - 3/24/2026 - RESCHEDULED 3/16/26',
    'Note on quorum',
    'Parks Board - No Quorum',
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
    'NOT CANCELED',
    'The meeting is no longer canceled',
    "The meeting isn't canceled",
    'The meeting will be held as scheduled',
    'La reunión no ha sido cancelada',
    'La reunión ya no está cancelada',
    'La reunión se llevará a cabo',
    'La reunión podría ser cancelada',
    'Si no hay quórum, la reunión será cancelada',
    'La reunión será cancelada en caso de lluvia',
    'La reunión del Comité de Vivienda ha sido cancelada',
    'La reunión del 17 de marzo ha sido cancelada',
    'Reunión cancelada el 31 de marzo',
    'La próxima reunión ha sido cancelada',
    'Reunión reprogramada a las 5:00 p.m.',
    'Punto 5 cancelado',
    'Audiencia pública cancelada',
    'Public hearing on Z-123 / CANCELED',
    'Item 5 deferred to March 31',
    'The meeting deferred item 5 to March 31',
    'Deferred: Z-123',
    'Minutes deferred to March 31',
    'Meeting deferred to 2:00 pm',
    'Meeting may be deferred to March 31',
    'Meeting moved to Room 6ES',
    'Meeting delayed until 2:00 pm',
    'Meeting delayed to March 24',
    'Meeting continued from March 17',
    'Meeting continued from March 17 to March 24',
    'Continued to March 31',
    'Item 5 continued to March 31',
    'Por motivos de salud la reunión no ha sido cancelada',
    'Meeting relocated to March Hall',
    'La reunión se trasladó a la Sala 5',
    'The City Council is not meeting the deadline',
    'The City Council was unable to meet the deadline',
    'Meeting moved to 2:00 pm',
    'Meeting moved to the room next door',
    'Meeting moved to 500 Example Street',
    'Meeting moved to Tuesday',
    'Meeting has been moved to March 24',
    'Meeting moved from March 17 to March 24',
    'Meeting was moved from Room 5 to Room 6',
    'Meeting moved to March 31 if there is no quorum',
    'Housing Committee meeting moved to March 31',
    'Next meeting moved to March 31',
    'The council moved to continue the case to March 31',
    'Meeting adjourned for lack of a quorum',
    'Motion failed for lack of a quorum',
    'Public hearing was not held due to lack of quorum',
    'The City Council did not meet the deadline',
    'The meeting of March 17 did not occur due to lack of quorum',
    'Meeting did not take place in person',
    'The Housing Committee did not meet',
  ])('%j does not change the meeting', (text) => {
    expect(noticeInComment(text, context)).toBeNull();
  });
});

it('a body is meant by its name with "&" for "and", and by its name in Spanish', () => {
  const zoning = { ...context, bodyName: 'Planning and Zoning Commission' };
  for (const name of [
    'Planning & Zoning Commission - CANCELED',
    'La reunión de la Comisión de Planificación y Zonificación fue cancelada',
  ]) {
    expect(noticeInComment(name, zoning)).toBe('cancelled');
    expect(noticeInComment(name, context)).toBeNull();
  }
});

describe('the name of a meeting', () => {
  const name = { bodyName: 'Flood Control Board', day: '2026-04-13', sessions: false, isName: true };

  it.each([
    'The April 13, 2026 regular meeting of the Example Town Flood Control Board has been cancelled.',
    'NOTICE OF CANCELLATION - The April 13, 2026 meeting of the Members of the Example Board has been canceled.',
    'Flood Control Board - 4/60/26 - Cancelled',
    'Flood Control - 4/13/2026 - No Quorum',
  ])('with its day is about it: %j', (text) => expect(noticeInComment(text, name)).toBe('cancelled'));

  it.each([
    'The May 11, 2026 regular meeting of the Example Town Flood Control Board has been cancelled.',
    'The regular meeting of the Example Airport Board has been cancelled.',
    'April 13, 2026 tour of the Example Dam has been cancelled.',
  ])('without it, or about another thing, is not: %j', (text) => expect(noticeInComment(text, name)).toBeNull());

  it('that names the cancellation of another thing is not about it', () => {
    const title = 'Cancellation of Item 5 - Flood Control Board Meeting';
    expect(noticeInComment(title, { ...name, title })).toBeNull();
    const notice = 'Cancellation of FCB Meeting';
    expect(noticeInComment(notice, { ...name, title: notice })).toBe('cancelled');
    expect(noticeInComment('Cancellation notice for Flood Control Board', name)).toBe('cancelled');
  });

  it('is not read so in a comment', () => {
    const comment = 'The April 13, 2026 meeting of the Example Airport Board has been cancelled.';
    expect(noticeInComment(comment, { ...name, isName: false })).toBeNull();
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
    'City Hall - CANCELED/CANCELADA',
    'Sala 5 - REUNIÓN CANCELADA',
    'City Hall (Reunión suspendida)',
    'City Hall - DID NOT OCCUR DUE TO LACK OF QUORUM',
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

  it.each([
    ['City Hall, RESCHEDULED 3/16/26', null],
    ['City Hall, POSTPONED 3/16/26', 'postponed'],
    ['City Hall, RESCHEDULED 3/31/26', 'postponed'],
    ['City Hall, RESCHEDULED 3/16/26 TO 3/31/26', 'postponed'],
  ])('%j states %s', (text, notice) => expect(noticeInLocation(text, context)).toBe(notice));

  it.each(['JOINT SESSION CANCELLED', 'City Hall - EMERGENCY SESSION CANCELLED', 'Council Briefing CANCELLED'])(
    '%j cancels it',
    (text) => {
      expect(noticeInLocation(text, context)).toBe('cancelled');
    },
  );

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
    'City Hall - NO LONGER CANCELED',
    'Sala 5 (NO CANCELADA)',
    'Sala 5, SI NO HAY QUÓRUM SERÁ CANCELADA',
    'City Hall, ITEM 5 CANCELLED',
    'City Hall - Items 3 and 4 CANCELLED',
    'City Hall, PUNTO 5 CANCELADO',
    'City Hall, AUDIENCIA PÚBLICA CANCELADA',
    'The April 7, 2026 meeting is canceled',
    'Reunión cancelada del 17 de marzo se celebrará el 24 de marzo',
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
    expect(noticeInStatusName('Canceled/Cancelada')).toBe('cancelled');
    expect(noticeInStatusName('Pospuesta')).toBe('postponed');
    expect(noticeInStatusName('No longer cancelled')).toBeNull();
    expect(noticeInStatusName('Final')).toBeNull();
    expect(noticeInStatusName(null)).toBeNull();
  });
});
