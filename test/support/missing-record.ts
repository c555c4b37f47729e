import { randomUUID } from 'node:crypto';

/** The shortest valid report of a missing record. */
export const MISSING_RECORD = {
  sourceUrl: 'https://records.example.org/meetings/1042',
  expectedRecord: 'Agenda of the City Council of 14 April 2026',
} as const;

/** The same with every field. */
export const WHOLE_MISSING_RECORD = {
  ...MISSING_RECORD,
  jurisdictionSlug: 'sample-city',
  recordKind: 'agenda',
  recordDate: '2026-04-14',
  sourceRecordId: 'Event-1042:agenda/1',
  queryContext: {
    searchTerms: 'data center',
    filters: {
      jurisdictionSlug: 'sample-city',
      bodySlug: 'city-council',
      topicSlug: 'data_centers',
      recordKind: 'agenda',
      dateFrom: '2026-04-01',
      dateTo: '2026-04-30',
      sourceSystem: 'Legistar',
      sourceRecordId: '1042',
    },
    surface: { kind: 'rest', route: '/api/v1/data/snapshots/{snapshotId}/{resource}' },
  },
  requestId: 'client-17.a:b_c',
} as const;

/** The header of a submission, by default with a new token. */
export const idempotent = (token: string = randomUUID()): { readonly 'idempotency-key': string } => ({
  'idempotency-key': token,
});
