import { derivedId } from '../../domain/identifiers.ts';
import type { RecordData, Resource } from '../../domain/records/resources.ts';
import { FeedService } from './feed-service.ts';

/** Identity of the feed from which the mirrors in `test/fixtures/single-table-mirrors` were written. */
const FEED_ID = '5f0c3a52-9c1d-4a0e-8b7e-6d2f1c4b3a90';
const PAGE_SIZE = 4;
const RECORDED = { createdAt: '2026-03-20T18:00:00.000Z', updatedAt: '2026-04-10T21:30:00.000Z' };
const SOURCE = 'https://example.org/record';

export const mirroredId = (resource: Resource, name: string): string => derivedId('mirrored', resource, name);

/** Text with every character that a line, a table or a statement could end at. */
export const TRICKY = 'Line\u2028break, "quoted", it\'s 100 % \\ done;\r\nünïcode 𝔘';
/** The only words of the feed that this record has. */
export const SECRET = 'Wexford Quillfeather';

type Content<R extends Resource> = Omit<RecordData<R>, 'id' | 'createdAt' | 'updatedAt'>;

export function write<R extends Resource>(service: FeedService, resource: R, name: string, content: Content<R>): void {
  service.write(resource, mirroredId(resource, name), { ...content, ...RECORDED });
}

export const cityMeeting = (content: Partial<Content<'meetings'>>): Content<'meetings'> => ({
  publicBodyId: mirroredId('public_bodies', 'council'),
  sourceId: null,
  sourceRecordId: null,
  title: 'City Council, regular meeting',
  startsAt: '2090-04-14T14:00:00.000Z',
  timezone: 'America/Chicago',
  location: null,
  status: 'scheduled',
  sourceUrl: SOURCE,
  ...content,
});

export const cityItem = (meeting: string, content: Partial<Content<'agenda_items'>>): Content<'agenda_items'> => ({
  meetingId: mirroredId('meetings', meeting),
  agendaId: null,
  sourceRecordId: null,
  sequence: 1,
  agendaNumber: null,
  title: 'Rezoning of Elm Street',
  text: null,
  matterFile: null,
  matterType: null,
  actionText: null,
  outcome: null,
  sourceUrl: SOURCE,
  ...content,
});

/** A feed of one city with 11 changes of 9 records, of which one is removed. */
export function cityFeed(): FeedService {
  const service = new FeedService(PAGE_SIZE);
  service.feedId = FEED_ID;
  write(service, 'jurisdictions', 'city', {
    slug: 'springfield',
    name: 'Springfield',
    level: 'city',
    kind: 'city',
    countySlugs: ['dallas', 'tarrant'],
    timezone: 'America/Chicago',
    population: 30_720,
    geoid: '0048000',
    active: true,
    officialWebsiteUrl: null,
  });
  write(service, 'public_bodies', 'council', {
    jurisdictionId: mirroredId('jurisdictions', 'city'),
    slug: 'city-council',
    name: 'City Council',
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: 'America/Chicago',
    active: true,
  });
  write(service, 'meetings', 'coming', cityMeeting({}));
  write(
    service,
    'agenda_items',
    'rezoning',
    cityItem('coming', { title: 'Rezoning of Elm Street', text: TRICKY, matterFile: '00123' }),
  );
  write(service, 'agenda_items', 'secret', cityItem('coming', { sequence: 2, title: `Settlement with ${SECRET}` }));
  write(service, 'documents', 'removed', {
    meetingId: null,
    agendaItemId: null,
    kind: 'other',
    title: 'Published by mistake',
    url: SOURCE,
    mediaType: null,
    bytes: null,
    sha256: null,
    textEvidence: null,
  });
  service.write('documents', mirroredId('documents', 'removed'), null);
  write(service, 'documents', 'agenda', {
    meetingId: mirroredId('meetings', 'coming'),
    agendaItemId: null,
    kind: 'agenda',
    title: 'Agenda',
    url: 'https://example.org/agenda.pdf',
    mediaType: 'application/pdf',
    bytes: 9_007_199_254_740_991,
    sha256: null,
    textEvidence: 'readable',
  });
  write(service, 'agendas', 'agenda', {
    meetingId: mirroredId('meetings', 'coming'),
    documentId: mirroredId('documents', 'agenda'),
    stage: 'posted',
    publishedAt: '2026-04-10T00:00:00.000Z',
    itemCount: 2,
    textEvidence: 'readable',
    sourceUrl: SOURCE,
  });
  write(service, 'stream_records', 'old', {
    recordStreamId: mirroredId('record_streams', 'permits'),
    sourceRecordId: '7',
    recordDate: '0000-02-29',
    title: 'Permit',
    summary: null,
    status: null,
    address: null,
    sourceUrl: SOURCE,
    attributes: { share: 1 / 3, open: false, note: null },
  });
  write(service, 'agendas', 'agenda', {
    meetingId: mirroredId('meetings', 'coming'),
    documentId: mirroredId('documents', 'agenda'),
    stage: 'final',
    publishedAt: '2026-04-11T00:00:00.000Z',
    itemCount: 2,
    textEvidence: 'readable',
    sourceUrl: SOURCE,
  });
  return service;
}
