/** Tests with random or repeated cases, of which the nightly run makes more. */
export const REPEATED_TESTS: string[] = [
  'test/property/**/*.test.ts',
  'test/fault/{log-tail,payments-kill,projector,public-backend,rebuild,relay,rolling-restart}.test.ts',
  'test/fault/{subscriptions,takeover}.test.ts',
  'test/integration/{cli-start,embedded-postgresql,backup,cli-records,cli-settings,cli-words,replicate}.test.ts',
  'test/integration/{trial-clock,rebuild-commands,untrusted-certificates}.test.ts',
  'test/integration/{client-replicate,client-python,erasure,hostile-sources,hostile-texts,sandbox}.test.ts',
  'test/integration/{report-leases,mirror-owner,payments/agents,payments/crashes}.test.ts',
  'test/integration/{agenda,meeting,record-history,report,search}-plans.test.ts',
  'test/contract/search-indexes.test.ts',
  'test/regression/{hostile-bodies,hostile-pipelines,locked-tables,read-only-database}.test.ts',
  'test/conformance/admission-allowances.test.ts',
];

const runs = process.env['TEST_RUNS'];

/** Number of cases: that of `npm test`, multiplied by TEST_RUNS. */
export function testRuns(everyday: number): number {
  return Math.round(everyday * Number(runs ?? 1));
}

/** The cases of `npm test`, and in the nightly run the others too. */
export function withNightly<Case>(everyday: readonly Case[], nightly: readonly Case[]): readonly Case[] {
  return runs === undefined ? everyday : [...everyday, ...nightly];
}
