import { describe, expect, it } from 'vitest';
import { meetingStatus } from '../../src/sources/agendas/map-event.ts';
import { bodyNameIn, meetingNameIn } from '../../src/sources/listed/listed-reader.ts';
import { eventItemRow, eventRow } from '../../src/sources/agendas/rows.ts';

const event = (fields: Record<string, unknown> = {}) =>
  eventRow.parse({
    EventId: 1,
    EventBodyId: 2,
    EventBodyName: 'City Council',
    EventDate: '2026-03-24T00:00:00',
    ...fields,
  });

const items = (...titles: (string | null)[]) =>
  titles.map((title, index) =>
    eventItemRow.parse({ EventItemId: index, EventItemAgendaSequence: index + 1, EventItemTitle: title }),
  );

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

  it('is cancelled by a comment in HTML, and by one that names the meeting as its own title does', () => {
    const comment = '<p><strong>THIS MEETING HAS BEEN CANCELLED</strong></p>';
    expect(meetingStatus(event({ EventComment: comment }), [], '2026-03-24')).toBe('cancelled');
    const titled = { EventTitle: 'Riverside Review Panel', EventComment: 'Riverside Review Panel CANCELED' };
    expect(meetingStatus(event(titled), [], '2026-03-24')).toBe('cancelled');
    expect(meetingStatus(event({ ...titled, EventTitle: 'Budget Panel' }), [], '2026-03-24')).toBe('scheduled');
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
    expect(
      meetingStatus(
        event({ EventVideoStatus: 'Public', EventVideoPath: 'https://video.example.org/1' }),
        [],
        '2026-03-24',
      ),
    ).toBe('held');
    expect(meetingStatus(event({ EventVideoStatus: 'Public', EventMedia: 4711 }), [], '2026-03-24')).toBe('held');
    expect(
      meetingStatus(event({ EventVideoStatus: 'Public', EventMinutesStatusName: 'Draft' }), [], '2026-03-24'),
    ).toBe('scheduled');
  });

  it('is cancelled by a notice even with final minutes', () => {
    expect(meetingStatus(event({ EventMinutesStatusName: 'Final', EventComment: 'CANCELLED' }), [], '2026-03-24')).toBe(
      'cancelled',
    );
  });
});

describe('the name of a listed meeting', () => {
  it.each(['Zoning Commission - DEFERRED', 'Zoning Commission (Deferred to March 31)', 'Pospuesta: Zoning Commission'])(
    '%j names the body of a meeting that is postponed',
    (name) => {
      expect(bodyNameIn(name)).toBe('Zoning Commission');
      expect(meetingStatus(event({ EventBodyName: bodyNameIn(name), EventComment: name }), [], '2026-03-24')).toBe(
        'postponed',
      );
    },
  );

  it('keeps words that a notice shares with names', () => {
    for (const name of ['Deferred Compensation Committee', 'Regular Meeting', 'Meeting of the Board'])
      expect(bodyNameIn(name)).toBe(name);
  });

  it('keeps the year of its name, which that of the body is without', () => {
    const name = '2020 Census Committee';
    expect(meetingNameIn(`CANCELLED - ${name} - March 24, 2020`)).toBe(name);
    expect(bodyNameIn(name)).toBe('Census Committee');
  });

  it.each(['Zoning Commission - NO MEETING', 'Zoning Commission Not Held'])(
    '%j names the body of a meeting that is not held',
    (name) => {
      expect(bodyNameIn(name)).toBe('Zoning Commission');
      expect(meetingStatus(event({ EventBodyName: bodyNameIn(name), EventComment: name }), [], '2026-03-24')).toBe(
        'cancelled',
      );
    },
  );

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
    'CANCELADA - Zoning Commission',
    'Zoning Commission - CANCELED/CANCELADA',
    'REUNIÓN CANCELADA / MEETING CANCELED - Zoning Commission',
    'Zoning Commission - Cancelada por falta de quórum - Mar 24 2026',
    'Zoning Commission (Canceled / Cancelada)',
  ])('%j names the body and may say that the meeting is cancelled', (name) => {
    expect(bodyNameIn(name)).toBe('Zoning Commission');
    const isCancelled = /cancel/i.test(name);
    const status = meetingStatus(event({ EventBodyName: bodyNameIn(name), EventComment: name }), [], '2026-03-24');
    expect(status).toBe(isCancelled ? 'cancelled' : name.startsWith('Postponed') ? 'postponed' : 'scheduled');
  });
});
