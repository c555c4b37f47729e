import { expect, test } from 'vitest';
import { derivedId } from '../../domain/identifiers.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { type EventPlace, mapEvent } from '../../src/sources/agendas/map-event.ts';
import { eventItemRow, eventRow } from '../../src/sources/agendas/rows.ts';

const PLACE: EventPlace = {
  client: 'fortworthgov',
  timezone: 'America/Chicago',
  body: { name: 'City Council', publicBodyId: derivedId('test', 'body'), sourceId: derivedId('test', 'source') },
  known: null,
};

/** A field of the published records of a resource, of one event with one item. */
function published(resource: Resource, field: string, event: object, item: object = {}): readonly unknown[] {
  const rows = [
    eventItemRow.parse({ EventItemId: 11, EventItemAgendaSequence: 1, EventItemTitle: 'Example', ...item }),
  ];
  const given = { EventId: 1, EventBodyId: 7, EventDate: '2026-03-10T00:00:00', EventTime: '6:00 PM' };
  const address = 'https://site.example.org/MeetingDetail.aspx?ID=1';
  const mapped = mapEvent(
    eventRow.parse({ ...given, EventBodyName: 'City Council', EventInSiteURL: address, ...event }),
    rows,
    PLACE,
  );
  if (mapped.kind === 'skipped') throw new Error(mapped.skipped.reason);
  return mapped.changes.flatMap((change) =>
    change.op === 'upsert' && change.resource === resource
      ? [(change.content as Readonly<Record<string, unknown>>)[field]]
      : [],
  );
}

test.each([
  ['Draft', 'draft'],
  ['Tentative', 'draft'],
  ['Final', 'final'],
  ['Final-revised', 'final'],
  ['Final-Addendum', 'addendum'],
  ['Addendum', 'addendum'],
  ['Something else', 'posted'],
  [null, 'posted'],
])('a published agenda whose status is %j has the stage %j', (EventAgendaStatusName, stage) => {
  const EventAgendaLastPublishedUTC = '2026-03-06T21:30:00';
  expect(published('agendas', 'stage', { EventAgendaStatusName, EventAgendaLastPublishedUTC })).toEqual([stage]);
});

test.each([
  [true, 'exhibit'],
  [null, 'exhibit'],
  [false, 'other'],
])('an attachment that is a supporting document (%j) has the kind %j', (MatterAttachmentIsSupportingDocument, kind) => {
  const attachment = {
    MatterAttachmentId: 5,
    MatterAttachmentName: 'Plan',
    MatterAttachmentHyperlink: 'https://site.example.org/plan.pdf',
  };
  const item = { EventItemMatterAttachments: [{ ...attachment, MatterAttachmentIsSupportingDocument }] };
  expect(published('documents', 'kind', {}, item)).toEqual([kind]);
});
