import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { openKurrentLog } from '../../infra/kurrentdb/event-log.ts';
import { containersRun } from '../support/containers.ts';
import { KAFKA_VERSIONS, kafkaJars } from './kafka-server.ts';

/**
 * `npm run test:engines`: the contract tests against every engine that is found here, and the kill tests against servers that this starts
 * itself. One line for each engine; the last line sums them. An engine that is not found counts as one skipped test; an engine on which no
 * test ran is never counted as passed.
 */

interface Run {
  readonly files: readonly string[];
  /** Counts the tests alone whose full name contains this. */
  readonly named: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
interface EngineRun {
  readonly engine: string;
  /** The reason for no run; else the run. */
  readonly runs: string | readonly Run[];
}

/** A file for the counts, as JSON. */
const { values } = parseArgs({ options: { results: { type: 'string' } } });

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.trim().split('\n')[0]! : String(error);

async function examine(engine: string, look: () => Promise<EngineRun> | EngineRun): Promise<EngineRun> {
  try {
    return await look();
  } catch (error) {
    return { engine, runs: reasonOf(error) };
  }
}

/** The server of `DATABASE_URL`, else the one at the usual place, for this user or for `postgres`. */
function postgresql(): Promise<EngineRun> {
  const configuredUrl = process.env['DATABASE_URL'];
  const usual = [userInfo().username, 'postgres'].map((user) => `postgres://${user}@127.0.0.1:5432/postgres`);
  const { hostname, port } = new URL(configuredUrl ?? usual[0]!);
  const address = `${hostname}:${port || 5432}`;
  return examine(`PostgreSQL at ${address}`, async () => {
    const reached = await Promise.any((configuredUrl === undefined ? usual : [configuredUrl]).map(versionAt)).catch(
      ({ errors }: AggregateError) => {
        throw errors[0];
      },
    );
    const env = { DATABASE_URL: reached.url };
    const files = ['test/contract/event-log.postgresql.test.ts'];
    return {
      engine: `PostgreSQL ${reached.version} at ${address}`,
      runs: [{ files, named: 'the server of DATABASE_URL', env }],
    };
  });
}

async function versionAt(url: string): Promise<{ readonly url: string; readonly version: string }> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
  await client.end();
  return { url, version: rows[0]!.version.split(' ')[0]! };
}

const pairOfPostgresql = (): EngineRun => ({
  engine: 'PostgreSQL of this package, a primary and its standby',
  runs: [{ files: ['test/engines/postgresql-failover.test.ts'], named: '' }],
});

const kafka = (version: string): Promise<EngineRun> =>
  examine(`Kafka ${version} from Maven Central`, () => {
    for (const program of ['java', 'mvn'])
      if (spawnSync(program, ['-version'], { stdio: 'ignore' }).error !== undefined)
        throw new Error(`${program} is not installed`);
    kafkaJars(version);
    const env = { KAFKA_VERSION: version };
    const files = ['kafka-contract', 'kafka-refusals', 'kafka-kills'].map((name) => `test/engines/${name}.test.ts`);
    return { engine: `Kafka ${version} from Maven Central`, runs: [{ files, named: '', env }] };
  });

const kurrentdb = (): Promise<EngineRun> =>
  examine('KurrentDB', async () => {
    const url = process.env['EVENTSTORE_URL'];
    if (url === undefined) throw new Error('EVENTSTORE_URL is unset');
    const log = openKurrentLog({ url, deadlineMs: 5_000 });
    try {
      await log.head();
    } finally {
      await log.close();
    }
    return {
      engine: 'KurrentDB at EVENTSTORE_URL',
      runs: [{ files: ['test/contract/event-log.kurrentdb.test.ts'], named: 'the server of EVENTSTORE_URL' }],
    };
  });

const containers = (): Promise<EngineRun> =>
  examine('Containers', async () => {
    if (!(await containersRun())) throw new Error('no Docker runs here');
    const files = ['event-log.postgresql', 'event-log.kurrentdb', 'kafka-broker'].map(
      (name) => `test/contract/${name}.test.ts`,
    );
    return {
      engine: 'PostgreSQL, KurrentDB and Kafka of compose.yaml in containers',
      runs: [{ files, named: 'in a container' }],
    };
  });

const kinds = ['passed', 'failed', 'skipped'] as const;
function add(sum: Counts, more: Counts): void {
  for (const kind of kinds) sum[kind] += more[kind];
}

const results = mkdtempSync(join(tmpdir(), 'civic-engines-'));

function runTests({ files, named, env = {} }: Run): Counts {
  const file = join(results, 'vitest.json');
  rmSync(file, { force: true });
  const args = ['run', ...files, ...(named === '' ? [] : ['-t', named])];
  const { status } = spawnSync(
    'vitest',
    [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    {
      stdio: 'inherit',
      env: { ...process.env, TEST_LANE: 'engines', ...env },
    },
  );
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as {
    testResults: readonly { status: string; assertionResults: readonly { fullName: string; status: string }[] }[];
  };
  for (const { assertionResults, status: ended } of testResults) {
    const results = assertionResults.filter(({ fullName }) => fullName.includes(named));
    for (const each of results)
      counts[each.status === 'passed' ? 'passed' : each.status === 'failed' ? 'failed' : 'skipped'] += 1;
    if (ended === 'failed' && !results.some((each) => each.status === 'failed')) counts.failed += 1;
  }
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

const engines = [
  await postgresql(),
  pairOfPostgresql(),
  ...(await Promise.all(KAFKA_VERSIONS.map(kafka))),
  await kurrentdb(),
  await containers(),
];
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const lines: string[] = [];
for (const { engine, runs } of engines) {
  if (typeof runs === 'string') {
    lines.push(`${engine}: not run: ${runs}`);
    total.skipped += 1;
    continue;
  }
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const run of runs) {
    try {
      add(counts, runTests(run));
    } catch (error) {
      counts.failed += 1;
      process.stderr.write(`${engine}: ${reasonOf(error)}\n`);
    }
  }
  const { passed, failed, skipped } = counts;
  if (passed === 0 && failed === 0) counts.failed = 1;
  lines.push(
    passed === 0 && failed === 0
      ? `${engine}: no test ran`
      : `${engine}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
  );
  add(total, counts);
}
rmSync(results, { recursive: true, force: true });
if (total.failed > 0) process.exitCode = 1;
if (values.results !== undefined) writeFileSync(values.results, JSON.stringify(total));
process.stdout.write(`${lines.join('\n')}\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
