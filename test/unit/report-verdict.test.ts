import { expect, test } from 'vitest';
import { derivedId } from '../../domain/identifiers.ts';
import type { KnownReport } from '../../queries/reports/known-reports.ts';
import type { Candidate } from '../../src/processors/reactors/reports/candidates.ts';
import { verdictOn } from '../../src/processors/reactors/reports/verdict.ts';
import { MISSING_RECORD } from '../support/missing-record.ts';

const SUBMITTED = '2026-01-05T12:00:00.000Z';
const ITEM: Candidate = {
  resource: 'agenda_items',
  id: derivedId('test', 'item'),
  title: 'Authorize a contract',
  url: 'https://records.example.org/items/7',
  sourceRecordId: null,
  matterFile: null,
  date: '2026-01-04',
  meetingId: null,
  isMeetingCancelled: false,
  bodyName: 'City Council',
  jurisdictionSlug: 'dallas',
  jurisdictionName: 'Dallas',
  textEvidence: null,
  container: false,
  isAgenda: true,
  arePartsRead: false,
};
const report = (fields: Partial<KnownReport>): KnownReport => ({
  reportId: derivedId('test', 'report'),
  accountId: derivedId('test', 'account'),
  status: 'received',
  submittedAt: SUBMITTED,
  updatedAt: SUBMITTED,
  closedAt: null,
  nextCheckAt: null,
  reasonCode: null,
  finding: null,
  nextAction: null,
  verifiedRecords: [],
  input: MISSING_RECORD,
  revision: 1,
  note: null,
  ...fields,
});

/** The moves of a report whose record is published. */
const resolved = (fields: Partial<KnownReport>, publishedSince: string) =>
  verdictOn({
    report: report(fields),
    matches: { certain: [ITEM], agendaParts: [], withoutAgenda: [], possible: [] },
    publishedSince,
    olderOwn: null,
    olderOthers: [],
    outside: null,
    sources: [],
    agendas: [],
    now: Date.parse(SUBMITTED),
  })?.moves;

const [EARLIER, LATER] = ['2026-01-04T12:00:00.000Z', '2026-01-06T12:00:00.000Z'];

test.each([
  ['gap_confirmed', 'publication_delay', LATER, 'publication_delay'],
  ['gap_confirmed', 'source_unreadable', LATER, 'source_unreadable'],
  ['gap_confirmed', 'source_unreadable', EARLIER, 'source_unreadable'],
  ['backfilling', 'source_unreadable', LATER, 'source_unreadable'],
  // The reason of a wait is not the reason of the gap.
  ['awaiting_source', 'source_unreadable', LATER, 'publication_delay'],
] as const)(
  'a report that is %s for %s, with its record since %s, is resolved for %s',
  (status, reasonCode, since, expected) => {
    expect(resolved({ status, reasonCode }, since)).toMatchObject([{ to: 'resolved', reasonCode: expected }]);
  },
);
