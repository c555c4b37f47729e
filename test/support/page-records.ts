import type { RecordChange } from '../../commands/records/write-records.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { RecordContent, Resource } from '../../domain/records/resources.ts';
import { upsert } from '../../src/sources/source.ts';
import { DAY_MS, TEST_TIME } from './civic.ts';

export const pageRecordId = (resource: Resource, name: string): string => derivedId('page test', resource, name);
const ZONE = 'America/Chicago';
export const inDays = (days: number): string => new Date(TEST_TIME + days * DAY_MS).toISOString();

export const pageRecord = <R extends Resource>(resource: R, name: string, content: RecordContent<R>): RecordChange =>
  upsert(resource, pageRecordId(resource, name), content);

/** The covered council of Dallas with a source, and the topic `zoning`. */
export const councilOfDallas = (): RecordChange[] => [
  pageRecord('jurisdictions', 'dallas', {
    slug: 'dallas',
    name: 'Dallas',
    level: 'city',
    kind: 'city',
    countySlugs: ['dallas'],
    timezone: ZONE,
    active: true,
  }),
  pageRecord('public_bodies', 'council', {
    jurisdictionId: pageRecordId('jurisdictions', 'dallas'),
    slug: 'city-council',
    name: 'City Council',
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: ZONE,
    active: true,
  }),
  pageRecord('sources', 'source', {
    jurisdictionId: pageRecordId('jurisdictions', 'dallas'),
    publicBodyId: pageRecordId('public_bodies', 'council'),
    sourceType: 'legistar',
    sourceTypeLabel: 'Legistar of Dallas',
    officialSourceUrl: 'https://example.org/dallas',
    active: true,
    status: 'healthy',
    lastCheckedAt: inDays(0),
    lastSuccessfulCheckAt: inDays(0),
    consecutiveFailures: 0,
  }),
  pageRecord('topics', 'zoning', {
    slug: 'zoning',
    name: 'Zoning',
    publicLabel: 'zoning and land use',
    description: 'What may be built where.',
    keywords: [],
    negativeKeywords: [],
    selectable: true,
    classificationActive: true,
    taxonomyManaged: false,
  }),
];

export const meeting = (name: string, days: number, content: Partial<RecordContent<'meetings'>> = {}): RecordChange =>
  pageRecord('meetings', name, {
    publicBodyId: pageRecordId('public_bodies', 'council'),
    sourceId: pageRecordId('sources', 'source'),
    title: `Meeting ${name}`,
    startsAt: inDays(days),
    timezone: ZONE,
    status: 'scheduled',
    sourceUrl: `https://example.org/m/${name}`,
    ...content,
  });

export const item = (
  name: string,
  ofMeeting: string,
  content: Partial<RecordContent<'agenda_items'>> = {},
): RecordChange =>
  pageRecord('agenda_items', name, {
    meetingId: pageRecordId('meetings', ofMeeting),
    sequence: 1,
    title: `Item ${name}`,
    sourceUrl: `https://example.org/i/${name}`,
    ...content,
  });

export const hit = (name: string, ofItem: string, content: Partial<RecordContent<'agenda_hits'>> = {}): RecordChange =>
  pageRecord('agenda_hits', name, {
    agendaItemId: pageRecordId('agenda_items', ofItem),
    topicId: pageRecordId('topics', 'zoning'),
    summary: `Summary ${name}`,
    businessImpact: `Impact ${name}`,
    evidenceQuote: `Quote ${name}`,
    confidence: 80,
    affectedLocation: { status: 'not_stated', locations: [] },
    proceduralContext: {
      proceduralStage: 'public_hearing',
      actingBodyRole: 'final_decision_maker',
      nextBodyName: null,
      nextMeetingDate: null,
      actionKind: 'unknown',
      actionUrl: null,
    },
    classifiedAt: inDays(-1),
    classifier: 'a test',
    ...content,
  });

export const document = (name: string, content: Partial<RecordContent<'documents'>>): RecordChange =>
  pageRecord('documents', name, {
    kind: 'agenda',
    title: `Document ${name}`,
    url: `https://example.org/d/${name}`,
    ...content,
  });
