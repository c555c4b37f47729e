import { describe, expect, test } from 'vitest';
import { ACCOUNT_EVENTS, SUBSCRIPTION_EVENTS } from '../../domain/events/account-events.ts';
import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import { ACCOUNT_REPORT_EVENTS, REPORT_EVENTS } from '../../domain/events/report-events.ts';
import { SOURCE_LIST_EVENT_TYPES } from '../../domain/events/source-events.ts';
import { PROJECTIONS } from '../../src/app/read-models.ts';

const RECORDS = ['RecordPublished', 'RecordWithdrawn'];
const SUBSCRIPTIONS = ['FeedSubscriptionCreated', 'FeedSubscriptionRevoked'];
const PAYMENTS = ['AccountPaymentVerified', 'AccountPaymentSettled', 'AccountPaymentFailed'];
const ACCOUNTS = [
  'AccountOpened',
  'AccountPeriodSet',
  'AccountChannelSet',
  'AccountPaymentConfirmed',
  'AccountSuspended',
  'AccountResumed',
  'KeyIssued',
  'KeyLabelled',
  'KeyRotated',
  'KeyRevoked',
];

/** Event types of each version of a projection. A live generation is not folded again, so another list needs another version. */
const HANDLED: Readonly<Record<string, readonly string[]>> = {
  'record_history 3': ['FeedOpened', ...RECORDS, 'ContentErased'],
  'snapshots 1': ['SnapshotTaken'],
  'accounts 5': [...ACCOUNTS, ...PAYMENTS, 'ContentErased'],
  'record_references 1': RECORDS,
  'agenda 3': [...RECORDS, 'SourceAdded', 'SourceRemoved'],
  'agenda 4': [...RECORDS, 'SourceAdded', 'SourceRemoved'],
  'reports 3': ['DataReportSubmitted', 'DataReportLeased', 'DataReportMoved', 'DataReportNoted', 'ContentErased'],
  'subscriptions 2': [...SUBSCRIPTIONS, 'ContentErased'],
  'audit 2': ['SnapshotTaken', ...SUBSCRIPTIONS, 'DataReportSubmitted', ...ACCOUNTS, ...PAYMENTS],
  'agenda_search 4': RECORDS,
  'agenda_search 5': RECORDS,
  'agenda_search 6': RECORDS,
  'agenda_search 7': RECORDS,
  'agenda_search 8': RECORDS,
  'agenda_search 9': RECORDS,
  'agenda_search 10': RECORDS,
  'agenda_search 11': RECORDS,
  'record_keys 1': RECORDS,
};

interface Category {
  readonly projection: string;
  readonly types: readonly string[];
  /** Types of the category that the projection does not use. */
  readonly leftOut: readonly string[];
}

const CATEGORIES: readonly Category[] = [
  { projection: 'accounts', types: Object.keys(ACCOUNT_EVENTS), leftOut: [] },
  { projection: 'audit', types: Object.keys(ACCOUNT_EVENTS), leftOut: [] },
  { projection: 'audit', types: Object.keys(SUBSCRIPTION_EVENTS), leftOut: [] },
  {
    projection: 'audit',
    types: Object.keys(ACCOUNT_REPORT_EVENTS),
    leftOut: ['DataReportTokenAliased', 'DataReportSettled'],
  },
  {
    projection: 'reports',
    types: Object.keys(ACCOUNT_REPORT_EVENTS),
    leftOut: ['DataReportTokenAliased', 'DataReportSettled'],
  },
  { projection: 'reports', types: Object.keys(REPORT_EVENTS), leftOut: [] },
  { projection: 'subscriptions', types: Object.keys(SUBSCRIPTION_EVENTS), leftOut: [] },
  { projection: 'record_history', types: RECORD_EVENT_TYPES, leftOut: [] },
  { projection: 'agenda', types: SOURCE_LIST_EVENT_TYPES, leftOut: [] },
];

describe('the event types of a projection', () => {
  test.each(PROJECTIONS.map(({ name, version, handles }) => [`${name} ${version}`, handles] as const))(
    'are the ones that %s had when it was built',
    (version, handles) => {
      expect(
        Object.keys(HANDLED),
        `a raised version needs a row "${version}" with its event types in HANDLED`,
      ).toContain(version);
      expect(handles.toSorted(), 'another list of event types needs another version of the projection').toEqual(
        HANDLED[version]!.toSorted(),
      );
    },
  );

  test.each(CATEGORIES)('of $projection include or leave out each of $types', ({ projection, types, leftOut }) => {
    const { handles } = PROJECTIONS.find(({ name }) => name === projection)!;
    expect(types.filter((type) => !handles.includes(type))).toEqual(leftOut);
  });
});
