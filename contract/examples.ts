import { RESOURCES } from '../domain/records/resources.ts';
import { EMPTY_DIGEST } from '../domain/digests.ts';
import { COVERAGE_STATUSES } from './research-coverage.ts';

/** Records of some resources in their public form. Records and city are invented. */
export const TOPIC = {
  id: '0f8b2c9e-5d1a-5c43-9a51-6a1f0e7b2d10',
  slug: 'data-centers',
  name: 'Data centers',
  publicLabel: 'Data centers',
  description: 'Sites, power and zoning of data centers.',
  keywords: ['data center', 'server farm'],
  negativeKeywords: ['data center of excellence'],
  selectable: true,
  classificationActive: true,
  taxonomyManaged: true,
  createdAt: '2026-03-02T15:04:05.000Z',
  updatedAt: '2026-03-02T15:04:05.000Z',
};

const MEETING = {
  id: '3d9a1f54-7c2e-5b06-8f4d-2b7e91c0a655',
  publicBodyId: '9b1d2e3f-4a5b-5c6d-8e7f-0a1b2c3d4e5f',
  sourceId: null,
  sourceRecordId: '1042',
  title: 'City Council, regular meeting',
  startsAt: '2026-04-14T14:00:00.000Z',
  timezone: 'America/Chicago',
  location: 'City Hall, Council Chamber',
  status: 'cancelled',
  sourceUrl: 'https://example.org/sample-city/meetings/1042',
  createdAt: '2026-03-20T18:00:00.000Z',
  updatedAt: '2026-04-10T21:30:00.000Z',
};

export const HIT = {
  jurisdictionSlug: 'sample-city',
  jurisdictionName: 'Sample City',
  bodyName: 'City Council',
  topicSlug: 'data-centers',
  meetingAt: '2026-04-28T14:00:00.000Z',
  title: 'Zoning case ZC-26-014, 1200 Example Road',
  summary: 'Rezoning of 40 acres at 1200 Example Road for a data center; public hearing.',
  businessImpact: 'Would allow a data center on 40 acres at 1200 Example Road.',
  evidenceQuote: 'Conduct a public hearing on a request to rezone 40 acres at 1200 Example Road to allow a data center.',
  sourceUrl: 'https://example.org/sample-city/items/5177',
  confidence: 92,
  affectedLocation: { status: 'stated', locations: [{ kind: 'street_address', sourceText: '1200 Example Road' }] },
  proceduralContext: {
    proceduralStage: 'public_hearing',
    actingBodyRole: 'final_decision_maker',
    nextBodyName: null,
    nextMeetingDate: null,
    actionKind: 'public_comment',
    actionUrl: null,
  },
};

export const UPCOMING_HIT = { ...HIT, matchId: '5e0c7a1b-93d4-5f28-a6b7-1c2d3e4f5a6b' };

/** Examples of opaque cursors; they do not decode. */
export const CURSOR = 'AQEAZ3JlYXRlc3QtcG9zaXRpb24';
const NEXT_CURSOR = 'AQEAbmV4dC1wb3NpdGlvbi1oZXJl';

export const ITEM_ID = '7c1e5d20-1b3a-5f47-9d8e-4a6b8c0d2e4f';
export const REPORT_ID = '0197a3c4-5d6e-7f80-8a9b-0c1d2e3f4a5b';
export const SNAPSHOT_ID = '0197a3c4-1111-7222-8333-444455556666';
export const SUBSCRIPTION_ID = '0197a3c4-aaaa-7bbb-8ccc-ddddeeeeffff';

const TOPIC_DIGEST = '5d0b1f6f0c1c5b2f4a1e7f9b3c8d6e2a9f4b7c1d0e8a3f5b6c2d9e7f1a4b8c0d';
export const DIGESTS = { ...Object.fromEntries(RESOURCES.map((resource) => [resource, EMPTY_DIGEST])), topics: TOPIC_DIGEST };
export const COUNTS = { ...Object.fromEntries(RESOURCES.map((resource) => [resource, 0])), topics: 1 };

const CHANGES = {
  data: {
    items: [
      {
        cursor: CURSOR,
        resource: 'meetings',
        operation: 'upsert',
        recordId: MEETING.id,
        version: '3',
        changedAt: '2026-04-10T21:30:00.000Z',
        data: MEETING,
      },
      {
        cursor: NEXT_CURSOR,
        resource: 'documents',
        operation: 'remove',
        recordId: 'c2a9d1e0-6b7f-5a34-8c1d-9e0f1a2b3c4d',
        version: '2',
        changedAt: '2026-04-10T21:31:00.000Z',
      },
    ],
  },
  meta: { nextCursor: NEXT_CURSOR, hasMore: false, replayExpiresAt: '2026-05-10T21:31:00.000Z' },
};
const QUIET = { data: { items: [] }, meta: CHANGES.meta };
export const PRUNED = {
  ...QUIET,
  meta: {
    ...QUIET.meta,
    historyPruned: true,
    recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and go on from its boundaryCursor' }],
  },
};
export const PAGES = {
  page: { summary: 'A cancelled meeting and a withdrawn document', value: CHANGES },
  quiet: { summary: 'Nothing new, and still a position to store', value: QUIET },
};

export const SUBSCRIPTION = {
  id: SUBSCRIPTION_ID,
  name: 'meetings to warehouse',
  resource: 'meetings',
  keyId: '0197a3c4-0000-7000-8000-000000000001',
  startCursor: CURSOR,
  createdAt: '2026-04-01T00:00:00.000Z',
};

export const COVERAGE_PAGE = {
  data: [
    {
      jurisdictionSlug: 'parker-county',
      jurisdictionName: 'Parker County',
      level: 'county',
      kind: 'county',
      countySlugs: ['parker'],
      active: true,
      families: [
        {
          family: 'county.commissioners_agendas',
          status: 'D',
          officialSourceUrl: 'https://example.org/parker-county/agendas',
          checkedOn: '2026-03-01',
        },
        { family: 'county.elections', status: 'U' },
      ],
    },
  ],
  meta: {
    catalogVersion: '2026-03-01.0a1b2c3d4e5f',
    researchDate: '2026-03-01',
    ingestionVerified: false,
    statusDefinitions: COVERAGE_STATUSES,
    scope: {
      region: 'North-central Texas',
      counties: 16,
      activeMunicipalities: 238,
      inactiveMunicipalities: 1,
      families: 21,
      statement: 'A status says what was located for one family, and nothing more.',
    },
    pagination: { limit: 1, returned: 1, total: 16, nextCursor: NEXT_CURSOR },
  },
};

export const SOURCE_STATUS = {
  jurisdictionName: 'Sample City',
  publicBodyName: 'City Council',
  sourceTypeLabel: 'Legistar',
  status: 'healthy',
  agendaTextEvidence: 'readable',
  lastSuccessfulCheckAt: '2026-04-14T06:00:00.000Z',
  officialSourceUrl: 'https://example.org/sample-city/meetings',
};

export const ONE_HIT_PAGE = { limit: 10, returned: 1, nextCursor: null };
