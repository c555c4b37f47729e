import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take twenty seconds or more, longest first. A wrong order only costs time: if one of them began among
 * the last, the run would wait for it at the end.
 */
const LONG = [
  'fault/soak',
  'integration/cli-start',
  'fault/service-kill',
  'fault/payments-kill',
  'integration/embedded-password',
  'property/lost-history',
  'fault/projector',
  'regression/locked-tables',
  'fault/embedded-postgresql-kills',
  'fault/rolling-restart',
  'fault/embedded-postgresql-migration',
  'integration/backup',
  'integration/readme',
  'integration/report-worker',
  'fault/import-without-log',
  'integration/embedded-attach',
  'integration/cli-records',
  'integration/erasure',
  'integration/log-copy',
  'integration/inlet',
  'fault/takeover',
  'fault/lost-history-kurrentdb',
  'fault/report-intake',
  'fault/fuzz',
  'integration/cli-settings',
  'integration/cli-words',
  'property/search',
  'integration/rebuild',
  'property/payments',
  'fault/erasure-kill',
  'integration/replicate',
  'integration/search-plans',
  'integration/relay',
  'integration/payments/crashes',
  'contract/event-log-under-faults',
  'contract/event-log-kurrentdb-failures',
  'integration/trial-clock',
  'conformance/submitDataReport',
  'integration/report-leases',
  'fault/log-tail',
  'conformance/createFeedSubscription',
  'integration/log-on-kurrentdb',
  'integration/key-secrets',
  'integration/rebuild-commands',
  'integration/classification-runs',
].map((name) => `/test/${name}.test.ts`);

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((name) => moduleId.endsWith(name));
  return place === -1 ? LONG.length : place;
}

/** The order of a run: the long files of every lane, then lane by lane. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
