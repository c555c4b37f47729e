import { RESOURCES } from '../domain/records/resources.ts';
import { EMPTY_DIGEST } from '../domain/digests.ts';

/** Examples that several operations show. Records and city are invented. */
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

export const HIT = {
  jurisdictionSlug: 'sample-city',
  jurisdictionName: 'Sample City',
  bodyName: 'City Council',
  topicSlug: 'data-centers',
  meetingAt: '2026-04-28T14:00:00.000Z',
  title: 'Zoning case ZC-26-014, 1200 Example Road',
  summary: 'Rezoning of 40 acres at 1200 Example Road for a data center; public hearing.',
  businessImpact: 'Would allow a data center on 40 acres at 1200 Example Road.',
  evidenceQuote:
    'Conduct a public hearing on a request to rezone 40 acres at 1200 Example Road to allow a data center.',
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
export const NEXT_CURSOR = 'AQEAbmV4dC1wb3NpdGlvbi1oZXJl';
export const REPORT_ID = '0197a3c4-5d6e-7f80-8a9b-0c1d2e3f4a5b';
export const SNAPSHOT_ID = '0197a3c4-1111-7222-8333-444455556666';
export const SUBSCRIPTION_ID = '0197a3c4-aaaa-7bbb-8ccc-ddddeeeeffff';
const TOPIC_DIGEST = '5d0b1f6f0c1c5b2f4a1e7f9b3c8d6e2a9f4b7c1d0e8a3f5b6c2d9e7f1a4b8c0d';
export const DIGESTS = {
  ...Object.fromEntries(RESOURCES.map((resource) => [resource, EMPTY_DIGEST])),
  topics: TOPIC_DIGEST,
};

export const SUBSCRIPTION = {
  id: SUBSCRIPTION_ID,
  name: 'meetings to warehouse',
  resource: 'meetings',
  keyId: '0197a3c4-0000-7000-8000-000000000001',
  startCursor: CURSOR,
  createdAt: '2026-04-01T00:00:00.000Z',
};
