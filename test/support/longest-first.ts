import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take half a minute or more, longest first. A place that is wrong costs time and nothing else: were one of them begun among
 * the last, the run would end waiting for it alone.
 */
const LONG = [
  'fault/service-kill',
  'fault/payments-kill',
  'integration/cli-start',
  'fault/projector',
  'fault/soak',
  'fault/fuzz',
  'fault/embedded-postgresql-kills',
  'fault/rolling-restart',
  'fault/report-intake',
  'fault/takeover',
  'integration/backup',
  'integration/cli-records',
  'integration/log-copy',
  'integration/erasure',
  'integration/replicate',
  'integration/log-on-kurrentdb',
  'integration/readme',
  'integration/report-worker',
  'integration/ops-page',
  'integration/rebuild-commands',
  'fault/subscriptions',
  'fault/erasure-kill',
  'integration/embedded-attach',
  'property/search',
  'contract/openapi-proxy',
].map((name) => `/test/${name}.test.ts`);

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONG.findIndex((name) => moduleId.endsWith(name));
  return place === -1 ? LONG.length : place;
};

/** The order of a run: the long files of every lane, then lane by lane. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
