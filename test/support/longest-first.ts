import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take twenty seconds or more, longest first. A wrong order only costs time: if one of them began among
 * the last, the run would wait for it at the end.
 */
const LONG = [
  'nightly/soak',
  'nightly/service-kill',
  'integration/cli-words',
  'integration/agendas/added-sources',
  'integration/payments/agents',
  'integration/embedded-postgresql',
  'integration/feed-renewal',
  'integration/backup',
  'fault/report-intake',
  'unit/text-rules',
  'integration/sandbox',
  'fault/rolling-restart',
  'conformance/submitDataReport',
  'integration/log-copy',
  'integration/relay',
  'nightly/embedded-postgresql',
  'nightly/readme',
  'contract/openapi-proxy',
  'contract/workflows',
  'integration/rebuild',
  'integration/search-plans',
  'integration/classification',
  'conformance/admission-order',
  'fault/lost-history-roles',
  'integration/report-worker',
  'fault/erasure-kill',
  'fault/payments-kill',
  'fault/takeover',
  'integration/replicate',
  'integration/key-secrets',
  'integration/cli-settings',
  'integration/cli-start',
  'fault/projector',
  'fault/subscriptions',
  'fault/public-backend',
  'integration/inlet',
  'integration/erasure',
  'integration/report-leases',
  'fault/searches',
  'integration/cli-irreversible',
  'integration/rebuild-commands',
  'integration/mirror-files',
  'fault/lost-history',
  'integration/client-python',
  'fault/start-without-database',
  'fault/relay',
  'nightly/import-without-log',
  'nightly/lost-history-kurrentdb',
  'nightly/fuzz',
  'conformance/createFeedSubscription',
  'unit/worker-classifier',
  'architecture/directions',
  'integration/cli-records',
  'contract/event-log.kurrentdb',
  'property/payments',
  'integration/classification-runs',
  'fault/log-tail',
  'property/search',
  'nightly/log-on-kurrentdb',
  'fault/rebuild',
  'unit/tool-payload',
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
