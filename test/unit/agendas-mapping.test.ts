import { describe, expect, it } from 'vitest';
import { MAX_RECORD_BYTES } from '../../commands/records/record-decider.ts';
import { RECORD_SCHEMAS } from '../../domain/records/resources.ts';
import { catalogueBodyId, catalogueSourceId } from '../../src/sources/catalogue/catalogue-records.ts';
import { mapBodies, placeOfClient } from '../../src/sources/agendas/bodies.ts';
import { type EventPlace, mapEvent } from '../../src/sources/agendas/map-event.ts';
import { eventsToReadInSteps, READ_ALL_UP_TO } from '../../src/sources/agendas/poll-window.ts';
import { bodyRow, eventItemRow, eventRow, parseRows } from '../../src/sources/agendas/rows.ts';
import { oneLine, paragraphs, publicUrl } from '../../src/sources/agendas/values.ts';
import { runAtOnce } from '../../domain/text/steps.ts';

const eventsToRead = (...args: Parameters<typeof eventsToReadInSteps>) => runAtOnce(eventsToReadInSteps(...args));

const CLIENT = 'fortworthgov';

const place: EventPlace = {
  client: CLIENT,
  timezone: 'America/Chicago',
  body: {
    name: 'City Council',
    publicBodyId: catalogueBodyId('fort-worth', 'city-council'),
    sourceId: catalogueSourceId('fort-worth', 'city-council'),
  },
  known: null,
};
const event = (fields: Record<string, unknown> = {}) =>
  eventRow.parse({
    EventId: 1,
    EventBodyId: 7,
    EventBodyName: 'CITY COUNCIL',
    EventDate: '2026-03-10T00:00:00',
    EventTime: '6:00 PM',
    EventInSiteURL: 'https://site.example.org/MeetingDetail.aspx?ID=1&Options=info|&Search=',
    ...fields,
  });
const item = (fields: Record<string, unknown>) =>
  eventItemRow.parse({ EventItemId: 11, EventItemAgendaSequence: 1, EventItemTitle: 'Example', ...fields });

function contentOf(mapped: ReturnType<typeof mapEvent>, resource: string): Record<string, unknown>[] {
  if (mapped.kind === 'skipped') throw new Error(mapped.skipped.reason);
  return mapped.changes.flatMap((change) =>
    change.op === 'upsert' && change.resource === resource
      ? [RECORD_SCHEMAS[change.resource].parse(change.content) as Record<string, unknown>]
      : [],
  );
}

describe('events', () => {
  it('start at their local time in the zone of the place', () => {
    expect(contentOf(mapEvent(event(), [], place), 'meetings')[0]).toMatchObject({
      startsAt: '2026-03-10T23:00:00.000Z',
      title: 'City Council',
      sourceRecordId: '1',
      sourceUrl: 'https://site.example.org/MeetingDetail.aspx?ID=1&Options=info%7C&Search=',
    });
  });

  it.each([
    [{ EventDate: 'soon' }, /no readable date/],
    [{ EventInSiteURL: null }, /no usable public address/],
    [{ EventInSiteURL: 'javascript:alert(1)' }, /no usable public address/],
  ])('with %j are skipped with the reason, not estimated', (fields, reason) => {
    const mapped = mapEvent(event(fields), [], place);
    expect(mapped.kind === 'skipped' ? mapped.skipped.reason : 'mapped').toMatch(reason);
  });

  it.each([
    [null, null],
    ['TBD', 'TBD'],
    ['immediately following the\tBriefing', 'immediately following the Briefing'],
    ['11:00 - 1:00 PM', '11:00 - 1:00 PM'],
  ])('with the time %j begin with their local day and say that no time is stated', (EventTime, sourceText) => {
    const start = { startsAt: '2026-03-10T05:00:00.000Z', startTime: { status: 'not_stated', sourceText } };
    expect(contentOf(mapEvent(event({ EventTime }), [], place), 'meetings')[0]).toMatchObject(start);
    const eastern = mapEvent(event({ EventTime }), [], { ...place, timezone: 'America/New_York' });
    expect(contentOf(eastern, 'meetings')[0]).toMatchObject({ startsAt: '2026-03-10T04:00:00.000Z' });
  });

  it('quote the time in the words of the source, unless they were published before the field', () => {
    const [fresh] = contentOf(mapEvent(event(), [], place), 'meetings');
    expect(fresh).toMatchObject({ startTime: { status: 'stated', sourceText: '6:00 PM' } });
    const older = { ...place, known: { startsAt: '2026-03-10T23:00:00.000Z' } };
    expect(contentOf(mapEvent(event(), [], older), 'meetings')[0]).not.toHaveProperty('startTime.status');
  });

  const STATED = {
    startsAt: '2026-03-10T23:00:00.000Z',
    startTime: { status: 'stated', sourceText: '6:00 PM' },
  } as const;
  it.each([
    [null, null],
    ['TBD', 'TBD'],
    ['Immediately following the workshop', 'Immediately following the workshop'],
    ['12:00 AM', '12:00 AM'],
    ['1:00 PM EST', '1:00 PM EST'],
  ])('whose time becomes %j no longer state the time of before', (EventTime, sourceText) => {
    const start = { startsAt: '2026-03-10T05:00:00.000Z', startTime: { status: 'not_stated', sourceText } };
    for (const known of [STATED, { startsAt: STATED.startsAt }]) {
      expect(contentOf(mapEvent(event({ EventTime }), [], { ...place, known }), 'meetings')[0]).toMatchObject(start);
    }
    const cancelled = event({ EventTime, EventComment: 'CANCELLED' });
    expect(contentOf(mapEvent(cancelled, [], { ...place, known: STATED }), 'meetings')[0]).toMatchObject({
      ...start,
      status: 'cancelled',
    });
  });

  it.each(['13:00:00', '1:00PM CST', '1:00 PM (note new time)'])(
    'whose time becomes %j state that time',
    (EventTime) => {
      const [changed] = contentOf(mapEvent(event({ EventTime }), [], { ...place, known: STATED }), 'meetings');
      expect(changed).toMatchObject({
        startsAt: '2026-03-10T18:00:00.000Z',
        startTime: { status: 'stated', sourceText: EventTime },
      });
    },
  );

  it('get the time once the source states it', () => {
    const publishedStart = {
      startsAt: '2026-03-10T05:00:00.000Z',
      startTime: { status: 'not_stated', sourceText: 'TBD' },
    } as const;
    expect(contentOf(mapEvent(event(), [], { ...place, known: publishedStart }), 'meetings')[0]).toMatchObject({
      startsAt: '2026-03-10T23:00:00.000Z',
    });
    const later = mapEvent(event({ EventTime: 'after lunch' }), [], { ...place, known: publishedStart });
    expect(contentOf(later, 'meetings')[0]).toMatchObject({
      startTime: { status: 'not_stated', sourceText: 'after lunch' },
    });
  });

  it('that are deferred are postponed', () => {
    const mapped = mapEvent(event({ EventAgendaStatusName: 'Deferred' }), [], place);
    expect(contentOf(mapped, 'meetings')[0]).toMatchObject({ status: 'postponed' });
    const minutes = mapEvent(event({ EventMinutesStatusName: 'Deferred' }), [], place);
    expect(contentOf(minutes, 'meetings')[0]).toMatchObject({ status: 'scheduled' });
  });

  it.each([
    ['Council Chamber CANCELLED', 'cancelled'],
    ['CITY HALL, ROOM 6 - MEETING CANCELED', 'cancelled'],
    ['Room 2 POSTPONED to next week', 'postponed'],
    ['Room 2 (NOT CANCELLED)', 'scheduled'],
    ['Room 2 (WILL NOT BE CANCELLED)', 'scheduled'],
    ['City Hall, RESCHEDULED FROM MARCH 3', 'scheduled'],
    ['City Hall (PREVIOUSLY CANCELLED MEETING NOW ON)', 'scheduled'],
    ['Hall of the Cancelled Stamps Museum', 'scheduled'],
  ])('in %j are %s', (EventLocation, status) => {
    expect(contentOf(mapEvent(event({ EventLocation }), [], place), 'meetings')[0]).toMatchObject({ status });
  });

  it('keep what the source says of them, and no key where it says nothing or gives only their name', () => {
    const EventComment = 'DELAYED START&nbsp;DUE TO WEATHER\r\nMEETING WILL BEGIN AT 2:00 PM';
    expect(contentOf(mapEvent(event({ EventComment }), [], place), 'meetings')[0]).toMatchObject({
      comment: 'DELAYED START DUE TO WEATHER\nMEETING WILL BEGIN AT 2:00 PM',
      status: 'scheduled',
    });
    for (const fields of [{ EventComment: ' ' }, { EventName: 'CANCELLED - City Council' }]) {
      const mapped = mapEvent(event(fields), [], place);
      expect(JSON.stringify(contentOf(mapped, 'meetings')[0])).not.toContain('"comment"');
      expect(contentOf(mapped, 'meetings')[0]).toMatchObject({
        status: 'EventName' in fields ? 'cancelled' : 'scheduled',
      });
    }
  });

  it('with a comment over the size of a record keep its beginning', () => {
    const [meeting] = contentOf(mapEvent(event({ EventComment: 'Ämter '.repeat(200_000) }), [], place), 'meetings');
    expect(meeting).toHaveProperty('comment', expect.stringMatching(/^Ämter Ämter /));
    expect(Buffer.byteLength(JSON.stringify(meeting))).toBeLessThan(MAX_RECORD_BYTES);
  });

  it('have an agenda only when the source shows one', () => {
    expect(contentOf(mapEvent(event({ EventAgendaStatusName: 'Draft' }), [], place), 'agendas')).toEqual([]);
    const file = { EventAgendaFile: 'https://site.example.org/View.ashx?M=A&ID=1', EventAgendaStatusName: 'Final' };
    const mapped = mapEvent(event({ ...file, EventAgendaLastPublishedUTC: '2026-03-06T21:30:00' }), [item({})], place);
    expect(contentOf(mapped, 'agendas')[0]).toMatchObject({
      stage: 'final',
      itemCount: 1,
      publishedAt: '2026-03-06T21:30:00.000Z',
    });
    expect(contentOf(mapped, 'documents')[0]).toMatchObject({ kind: 'agenda', url: file.EventAgendaFile });
  });
});

describe('items', () => {
  it('are on the agenda only with both a title and a sequence', () => {
    const rows = [
      item({}),
      item({ EventItemId: 12, EventItemAgendaSequence: null }),
      item({ EventItemId: 13, EventItemTitle: ' \n' }),
    ];
    const mapped = mapEvent(event(), rows, place);
    expect(contentOf(mapped, 'agenda_items').map((row) => row.sourceRecordId)).toEqual(['11']);
    expect(mapped.kind === 'mapped' ? mapped.skipped.map(({ id, reason }) => `${id} ${reason}`) : []).toEqual([
      '12 has no sequence: it is not on the agenda',
      '13 has no title: it is not on the agenda',
    ]);
  });

  it('without a title are known by the name of their matter, where they have its file', () => {
    const untitled = { EventItemTitle: ' ', EventItemMatterName: 'Rental &amp; license fees' };
    const rows = [
      item({ ...untitled, EventItemMatterFile: '24-134' }),
      item({ ...untitled, EventItemId: 12, EventItemMatterFile: null }),
    ];
    const mapped = mapEvent(event(), rows, place);
    expect(contentOf(mapped, 'agenda_items')).toMatchObject([{ title: 'Rental & license fees', matterFile: '24-134' }]);
    expect(mapped.kind === 'mapped' ? mapped.skipped.map(({ id }) => id) : []).toEqual(['12']);
  });

  it('keep the name and status of the matter, and no key of one that the source leaves out', () => {
    const named = item({ EventItemMatterName: 'Outdoor&nbsp;dining', EventItemMatterStatus: 'Hearing Closed' });
    const rows = contentOf(mapEvent(event(), [named, item({ EventItemId: 12 })], place), 'agenda_items');
    expect(rows[0]).toMatchObject({ matterName: 'Outdoor dining', matterStatus: 'Hearing Closed' });
    expect(JSON.stringify(RECORD_SCHEMAS.agenda_items.parse(rows[1]))).not.toMatch(/matterName|matterStatus/);
  });

  it('are read without the markup of web pages', () => {
    const row = item({
      EventItemTitle: '<p>Smith &amp; Sons --em--<b>v.</b>--em-- City</p>',
      EventItemAgendaNote: '<div>One</div><div style="x">Two &#8211; 5 &lt; 6</div>',
    });
    expect(contentOf(mapEvent(event(), [row], place), 'agenda_items')[0]).toMatchObject({
      title: 'Smith & Sons v. City',
      text: 'One\nTwo – 5 < 6',
    });
  });

  it('have no RTF, entities or controls in any text, and an outcome that is read from the decoded words', () => {
    const rtf = (text: string) =>
      String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}\viewkind4\uc1\pard\f0\fs20 ${text}\par}`;
    const parsed = parseRows(eventItemRow, 'EventItemId', 'item', [
      {
        EventItemId: 11,
        EventItemAgendaSequence: 1,
        EventItemAgendaNumber: '1&nbsp;a.',
        EventItemTitle: rtf(String.raw`Audiencia p\'fablica: \'bfqu\u233?  opina?`),
        EventItemAgendaNote: rtf(String.raw`One\par \pard Two {\v never}\endash  three`),
        EventItemActionName: null,
        EventItemActionText: rtf(String.raw`A motion was made that the request be denied.\par The motion carried.`),
        EventItemPassedFlagName: 'Pass',
        EventItemMatterFile: '24&ndash;1',
        EventItemMatterName: rtf(String.raw`The Council\'92s policy`),
        EventItemMatterType: 'Ordenanza p&uacute;blica',
        EventItemMatterStatus: 'Pas\u0097sed',
        EventItemMatterAttachments: [
          {
            MatterAttachmentId: 5,
            MatterAttachmentName: 'Exhibit &quot;A&quot;',
            MatterAttachmentHyperlink: 'https://site.example.org/a.pdf?x=1&copy=2',
          },
        ],
      },
      { EventItemId: 12, EventItemAgendaSequence: 2, EventItemTitle: 'Only fonts', EventItemAgendaNote: rtf('') },
    ]);
    const mapped = mapEvent(event({ EventLocation: 'Sal&oacute;n 5' }), parsed.rows, place);
    expect(contentOf(mapped, 'agenda_items')).toMatchObject([
      {
        agendaNumber: '1 a.',
        title: 'Audiencia pública: ¿qué opina?',
        text: 'One\nTwo – three',
        actionText: 'A motion was made that the request be denied.\nThe motion carried.',
        matterFile: '24–1',
        matterName: 'The Council’s policy',
        matterType: 'Ordenanza pública',
        matterStatus: 'Pas—sed',
      },
      { title: 'Only fonts', text: null },
    ]);
    expect(contentOf(mapped, 'agenda_items')[0]).toMatchObject({ outcome: 'denied' });
    expect(contentOf(mapped, 'documents')).toMatchObject([
      { title: 'Exhibit "A"', url: 'https://site.example.org/a.pdf?x=1&copy=2' },
    ]);
    expect(contentOf(mapped, 'meetings')).toMatchObject([{ location: 'Salón 5' }]);
    const bodies = mapBodies(
      CLIENT,
      placeOfClient(CLIENT, undefined),
      [bodyRow.parse({ BodyId: 8, BodyName: 'Parks &amp; Play' })],
      new Map(),
    );
    expect(bodies.changes).toMatchObject([{ content: { name: 'Parks & Play', slug: 'parks-play' } }]);
  });

  it('with a text that is cut degrade their event, with the name of the text', () => {
    const long = 'words '.repeat(20_000);
    const { rows } = parseRows(eventItemRow, 'EventItemId', 'item', [
      {
        EventItemId: 11,
        EventItemAgendaSequence: 1,
        EventItemTitle: 'Example',
        EventItemAgendaNote: long,
        EventItemMinutesNote: long,
      },
    ]);
    const mapped = mapEvent({ ...event(), cutTexts: ['EventComment'] }, rows, place);
    expect(mapped.kind === 'mapped' && mapped.degraded).toEqual([
      'EventComment is longer than a published text and was cut',
      'EventItemAgendaNote of item 11 is longer than a published text and was cut',
    ]);
    expect(contentOf(mapped, 'agenda_items')[0]).toHaveProperty('text', long.slice(0, 99_995));
  });

  it('have their attachments, one document for each item', () => {
    const attachment = {
      MatterAttachmentId: 5,
      MatterAttachmentName: 'plan.pdf',
      MatterAttachmentFileName: 'plan.pdf',
      MatterAttachmentHyperlink: 'https://site.example.org/a b|c.pdf ',
    };
    const rows = [11, 12].map((id) =>
      item({ EventItemId: id, EventItemMatterAttachments: [attachment, { MatterAttachmentId: 6 }, 'nonsense'] }),
    );
    const mapped = mapEvent(event(), rows, place);
    const documents = contentOf(mapped, 'documents');
    expect(documents.map((row) => row.url)).toEqual(
      Array.from({ length: 2 }, () => 'https://site.example.org/a%20b%7Cc.pdf'),
    );
    expect(new Set(documents.map((row) => row.agendaItemId)).size).toBe(2);
    const ids = mapped.kind === 'mapped' ? mapped.changes.map((change) => change.id) : [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(mapped.kind === 'mapped' && mapped.documentsUncertain).toBe(true);
  });

  it('have no outcome from the status of their matter, which may be of another meeting', () => {
    for (const status of ['Approved', 'Continued', 'Withdrawn']) {
      const rows = [item({ EventItemMatterStatus: status })];
      for (const EventMinutesStatusName of ['Draft', 'Final'])
        expect(contentOf(mapEvent(event({ EventMinutesStatusName }), rows, place), 'agenda_items')[0]).toMatchObject({
          outcome: null,
          matterStatus: status,
        });
    }
  });

  it('with a row for each action are one item with its actions in the order of the minutes', () => {
    const file = { EventItemMatterFile: 'Int 1-2026', EventItemTitle: 'A Local Law' };
    const attachment = {
      MatterAttachmentId: 5,
      MatterAttachmentName: 'plan',
      MatterAttachmentHyperlink: 'https://site.example.org/plan.pdf',
    };
    const rows = [
      item({
        ...file,
        EventItemId: 22,
        EventItemAgendaSequence: 0,
        EventItemMinutesSequence: 9,
        EventItemActionName: 'Laid Over by Committee',
      }),
      item({ ...file, EventItemId: 23, EventItemMinutesSequence: 3, EventItemActionName: 'Hearing Held by Committee' }),
      item({
        ...file,
        EventItemId: 24,
        EventItemAgendaSequence: null,
        EventItemTitle: null,
        EventItemMatterAttachments: [attachment],
      }),
      item({ EventItemId: 25 }),
    ];
    const mapped = mapEvent(event(), rows, place);
    const items = contentOf(mapped, 'agenda_items');
    expect(items.map(({ sourceRecordId }) => sourceRecordId)).toEqual(['23', '25']);
    expect(items[0]).toMatchObject({
      actionText: 'Laid Over by Committee',
      outcome: 'continued',
      actions: [
        { text: 'Hearing Held by Committee', outcome: null },
        { text: 'Laid Over by Committee', outcome: 'continued' },
      ],
    });
    expect(items[1]).not.toHaveProperty('actions');
    expect(contentOf(mapped, 'documents')).toHaveLength(1);
    expect(mapped.kind === 'mapped' && mapped.skipped).toEqual([]);
    const numbered = ['1', '2'].map((number) =>
      item({ ...file, EventItemId: Number(number), EventItemAgendaNumber: number }),
    );
    expect(contentOf(mapEvent(event(), numbered, place), 'agenda_items')).toHaveLength(2);
  });
});

describe('rows', () => {
  it('that can be read are used, and the others are reported with their ids', () => {
    const parsed = parseRows(bodyRow, 'BodyId', 'body', [
      { BodyId: 1, BodyName: 'A', New: true },
      { BodyId: 2, BodyName: 7 },
      null,
      { BodyId: '3' },
    ]);
    expect(parsed.rows).toEqual([{ BodyId: 1, BodyName: 'A' }]);
    expect([...parsed.undecodable]).toEqual([2]);
    expect(parsed.unidentified).toBe(true);
    expect(parsed.skipped.map(({ id }) => id)).toEqual(['2', null, null]);
  });
});

describe('text and addresses', () => {
  it('lose white space and keep their content', () => {
    expect(oneLine(' A \tb\u00a0\r\nc ')).toBe('A b c');
    expect(oneLine(' \n')).toBeNull();
    expect(paragraphs('one \r\n\ttwo\n\n\n\nthree\v')).toBe('one\ntwo\n\nthree');
  });

  it('are encoded once, however often they are read', () => {
    const once = publicUrl('http://site.example.org/a|b?c=|%zz^{}') ?? '';
    expect(once).toBe('http://site.example.org/a%7Cb?c=%7C%25zz%5E%7B%7D');
    expect(publicUrl(once)).toBe(once);
    for (const bad of [
      '',
      'ftp://a.example.org/',
      'https://user:pw@example.org/',
      'https://localhost/',
      '/relative',
      null,
    ])
      expect(publicUrl(bad)).toBeNull();
  });
});

describe('a poll', () => {
  const NOW = Date.parse('2026-11-01T00:00:00Z');
  const events = Array.from({ length: READ_ALL_UP_TO + 1 }, (_, index) =>
    event({ EventId: index, EventDate: '2020-01-01T00:00:00', EventLastModifiedUtc: '2020-01-01T00:00:00' }),
  );
  const window = {
    now: NOW,
    named: false,
    isUnstamped: false,
    lastSuccess: () => NOW - 3_600_000,
    isPublished: () => true,
  };
  const ids = (rows: readonly { EventId: number }[]) => rows.map((row) => row.EventId);

  it('reads all of a small client, and all of a named window', () => {
    expect(eventsToRead(events.slice(1), window)).toHaveLength(READ_ALL_UP_TO);
    expect(eventsToRead(events, { ...window, named: true })).toHaveLength(READ_ALL_UP_TO + 1);
  });

  it('reads of a large client only events selected by stamp, date or absence from the service', () => {
    const changed = events.map((row) => {
      if (row.EventId === 3) return { ...row, EventLastModifiedUtc: '2026-10-27T00:00:00' };
      if (row.EventId === 4) return { ...row, EventDate: '2026-10-15T00:00:00' };
      if (row.EventId === 5) return { ...row, EventLastModifiedUtc: null };
      return row;
    });
    expect(ids(eventsToRead(changed, { ...window, isPublished: (row) => row.EventId !== 6 }))).toEqual([3, 4, 5, 6]);
    expect(eventsToRead(changed, { ...window, lastSuccess: () => null })).toHaveLength(READ_ALL_UP_TO + 1);
  });

  it('reads of a platform without stamps only events that are recent, upcoming or not published', () => {
    const few = events.slice(0, 9).map((row) => ({ ...row, EventLastModifiedUtc: null }));
    const listed = few.map((row) => (row.EventId === 4 ? { ...row, EventDate: '2026-12-15T00:00:00' } : row));
    const unstamped = { ...window, isUnstamped: true };
    expect(ids(eventsToRead(listed, { ...unstamped, isPublished: (row) => row.EventId !== 6 }))).toEqual([4, 6]);
    expect(eventsToRead(listed, { ...unstamped, lastSuccess: () => null })).toHaveLength(9);
    expect(eventsToRead(listed, { ...unstamped, named: true })).toHaveLength(9);
  });
});

it('shortens the title of a meeting in its documents too, so that a page of a hundred has less than a megabyte', () => {
  const EventAgendaFile = 'https://site.example.org/agenda.pdf';
  const mapped = mapEvent(event({ EventTitle: '文書 '.repeat(30_000), EventAgendaFile }), [], place);
  for (const resource of ['meetings', 'documents']) {
    const [record] = contentOf(mapped, resource);
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(5_000);
  }
});
