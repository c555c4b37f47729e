import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take eight seconds or more on a busy machine, longest first. A wrong order only costs time: if one of them began among
 * the last, the run would wait for it at the end.
 */
const LONG = [
  'nightly/soak',
  'nightly/service-kill',
  'nightly/embedded-postgresql',
  'nightly/readme',
  'integration/inlet',
  'integration/relay',
  'integration/hostile-sources',
  'fault/takeover',
  'integration/embedded-postgresql',
  'fault/rolling-restart',
  'integration/mirror-files',
  'integration/sandbox',
  'integration/backup',
  'fault/payments-kill',
  'integration/cli-irreversible',
  'fault/projector',
  'integration/feed-renewal',
  'integration/rebuild',
  'integration/cli-words',
  'fault/report-intake',
  'integration/hostile-service',
  'fault/log-tail',
  'integration/classification-runs',
  'regression/locked-tables',
  'integration/hostile-texts',
  'fault/lost-history',
  'integration/rebuild-commands',
  'integration/agendas/added-sources',
  'conformance/submitDataReport',
  'integration/cli-start',
  'conformance/createFeedSubscription',
  'integration/cli-settings',
  'contract/openapi-proxy',
  'fault/searches',
  'integration/erasure',
  'fault/erasure-kill',
  'integration/client-python',
  'integration/key-secrets',
  'integration/log-copy',
  'regression/hostile-bodies',
  'regression/hostile-pipelines',
  'integration/search-plans',
  'integration/search-agenda',
  'fault/rebuild',
  'integration/cli-reports',
  'integration/report-worker',
  'integration/report-leases',
  'integration/cli-records',
  'integration/replicate',
  'unit/worker-classifier',
  'unit/text-rules',
  'property/search',
  'property/payments',
  'integration/payments/crashes',
  'integration/payments/agents',
  'integration/agendas/old-events',
  'integration/doctor',
  'regression/silent-connection',
  'fault/relay',
  'fault/subscriptions',
  'integration/admission-processes',
  'contract/migrations',
  'contract/event-log-kurrentdb-failures',
  'contract/event-log.kurrentdb',
  'regression/slow-bodies',
  'regression/hostile-resets',
  'integration/client-replicate',
  'fault/lost-history-roles',
  'fault/public-backend',
  'fault/start-without-database',
  'architecture/directions',
  'conformance/admission-order',
  'unit/tool-payload',
  'nightly/import-without-log',
  'nightly/lost-history-kurrentdb',
  'nightly/fuzz',
  'nightly/log-on-kurrentdb',
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
