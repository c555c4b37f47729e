import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { supervisorOf, postmasterOf, processesOf } from '../support/embedded-users.ts';
import { bannerOf, type Installation, makeInstallation, remaining, runProgram, type Running } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

/** `npm start` in this checkout; `npm test` has prepared it. */
const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const CONTROL_C = '\x03';
const NPM_START = ['npm', 'start', '--ignore-scripts', '--silent'];

let installation: Installation;
let started: Running[] = [];

const makeOne = (): void => void (installation = makeInstallation('civic-start-', {}, 'bare'));
/** For a test whose subject is the first start. */
async function makeAnother(): Promise<void> {
  await installation.close();
  makeOne();
}

beforeAll(makeOne);

afterEach(async () => {
  for (const program of started) program.kill('SIGTERM');
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
  const left = await remaining(installation.dataDir);
  if (left.length > 0) throw new Error(`left behind: ${left.map(({ command }) => command).join('; ')}`);
});

afterAll(() => installation.close());

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
const isAlive = (pid: number): boolean => spawnSync('kill', ['-0', String(pid)]).status === 0;

interface Started {
  readonly npm: Running;
  /** The service's own process, below npm. */
  readonly service: number;
  readonly banner: string;
}

async function npmStart(sample: 'on' | 'off', prefix: readonly string[] = []): Promise<Started> {
  const npm = runProgram([...prefix, ...NPM_START], { cwd: CHECKOUT, env: installation.environment({ CIVIC_SAMPLE: sample }) });
  started.push(npm);
  const banner = await bannerOf(npm);
  const [service] = childrenOf(npm.pid);
  if (service === undefined) throw new Error('npm has no child');
  return { npm, service, banner };
}

async function nothingLeft(service: number): Promise<void> {
  expect(isAlive(service)).toBe(false);
  expect(processesOf(installation.dataDir)).toEqual([]);
}

test('the npm script uses exec and limits the memory of the service', async () => {
  const { service } = await npmStart('off');
  expect(readFileSync(`/proc/${service}/cmdline`, 'utf8').split('\0').slice(1)).toEqual([
    '--min-semi-space-size=4',
    '--max-semi-space-size=4',
    '--no-parallel-scavenge',
    '--expose-gc',
    join(CHECKOUT, 'dist/main.mjs'),
    'serve',
    '',
  ]);
  expect(readFileSync(`/proc/${service}/environ`, 'utf8').split('\0')).toContain('MALLOC_ARENA_MAX=2');
});

const TERMINAL = spawnSync('script', ['--version']).status === 0;

test.skipIf(!TERMINAL)('a first start on a terminal prints a key, and the printed lines work with it (needs script)', async () => {
  await makeAnother();
  // A terminal without output processing, which keeps the line ends of the program.
  const inside = `stty -opost; exec ${NPM_START.join(' ')}`;
  const command = ['script', '--quiet', '--return', '--command', inside, '/dev/null'];
  const env = installation.environment({ CIVIC_SAMPLE: 'on' });
  const terminal = runProgram(command, { cwd: CHECKOUT, env, input: { startsWith: '' } });
  started.push(terminal);
  try {
    const banner = await bannerOf(terminal);
    expect(banner).toMatch(/^API key +crs_\w+\n +\(the sample account; shown this once\)$/m);
    expectToWork(banner, {});
  } finally {
    terminal.child.stdin?.write(CONTROL_C);
    await terminal.ended;
  }
  expect((await terminal.ended).exitCode).toBe(0);
  expect(processesOf(installation.dataDir)).toEqual([]);
});

test('a first start into a file or a pipe prints no key but the command that issues one', async () => {
  await makeAnother();
  const { banner, npm } = await npmStart('on');
  expect(banner).not.toContain('crs_');
  const command =
    banner
      .split('\n')
      .find((line) => line.includes(' keys issue --account '))
      ?.trim() ?? '';
  const { stdout, stderr } = spawnSync('sh', ['-c', `${command} --json`], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    env: { ...installation.environment(), npm_config_ignore_scripts: 'true' },
  });
  expect(stderr).toBe('');
  expectToWork(banner, { CIVIC_API_KEY: (JSON.parse(stdout) as { key: string }).key });
  npm.kill('SIGTERM');
  const ended = await npm.ended;
  expect(ended.stdout + ended.stderr).not.toContain('crs_');
  expect(ended.stderr).toMatch(/starting the embedded PostgreSQL[^]*filling a new one[^]*folding the log into the read models/);
  const page = (name: string) => new RegExp(`^${name} +(http\\S+)`, 'm').exec(banner)?.[1];
  expect([page('Civic Records'), page('reference'), page('operators')]).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    `${page('Civic Records')}/reference`,
    expect.stringMatching(/:\d+\/ops$/),
  ]);
});

const MAX_TRIES = 20;
/** The lines work as they are printed, the first one without a key. */
function expectToWork(banner: string, env: Readonly<Record<string, string>>): void {
  const lines = banner.split('\n').filter((line) => line.startsWith('  curl '));
  expect(lines.map((line) => line.includes('Authorization'))).toEqual([false, true, true, true]);
  for (const line of lines) {
    const wanted = line === lines[0] ? /^20[01]\n.*"evidenceQuote"/ : /^20[01]\n\{"data":/;
    let answer = '';
    // An overloaded machine answers late, which is a 503 or an empty public list.
    for (let tries = 0; tries < MAX_TRIES && !wanted.test(answer); tries += 1) {
      const command = `${line} -s -w '\\n%{http_code}'`;
      const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: { ...process.env, ...env } });
      const [body = '', status] = stdout.split('\n');
      answer = `${status}\n${body}`;
    }
    expect(answer).toMatch(wanted);
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s to npm ends everything with exit 0, and no process is left', async (signal) => {
  const { npm, service } = await npmStart('off');
  npm.kill(signal);
  expect((await npm.ended).exitCode).toBe(0);
  await nothingLeft(service);
});

test('a second and third SIGTERM change nothing', async () => {
  const { npm, service } = await npmStart('off');
  for (let time = 0; time < 3; time += 1) process.kill(service, 'SIGTERM');
  expect((await npm.ended).exitCode).toBe(0);
  await nothingLeft(service);
  expect(readFileSync(`${installation.dataDir}/postgresql.log`, 'utf8')).toContain('database system is shut down');
});

test('SIGINT to the whole process group ends everything with exit 0', async () => {
  // setsid makes the process itself the leader of a group of its own and becomes npm.
  const { npm, service } = await npmStart('off', ['setsid']);
  process.kill(-npm.pid, 'SIGINT');
  expect((await npm.ended).exitCode).toBe(0);
  await nothingLeft(service);
});

test('SIGTERM during a start ends it with exit 0, and the next start is complete', async () => {
  await makeAnother();
  const starting = installation.launch({ sample: 'on' });
  starting.ready.catch(() => undefined);
  await untilTrue('the server of the new folder is being made', () => processesOf(installation.dataDir).length > 0);
  starting.kill('SIGTERM');
  const { exitCode, stderr } = await starting.ended;
  expect({ exitCode, stderr: stderr.includes('    at ') }).toEqual({ exitCode: 0, stderr: false });
  expect(await remaining(installation.dataDir)).toEqual([]);
  const service = await installation.start({ sample: 'on' });
  expect((await service.fetch('/api/v1/data/changes?limit=1', { key: service.key ?? (await installation.openAccount()) })).status).toBe(
    200,
  );
  expect((await service.stop()).exitCode).toBe(0);
});

test('the built program refuses a query that does not decode, as its source does', async () => {
  await makeAnother();
  const service = await installation.start({ sample: 'off' });
  const answers = ['%zz', '%ff'].map((slug) => service.fetch(`/api/v1/public/agenda-hits?topicSlug=${slug}`));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400]);
  expect((await service.stop()).exitCode).toBe(0);
});

test.each(['the service', 'the supervisor', 'PostgreSQL', 'all of them'])(
  'after kill -9 of %s the next start recovers by itself',
  async (victim) => {
    const service = await installation.start();
    const key = await installation.openAccount();
    const change = (name: string) =>
      installation.civic(['records', 'import', '-', '--json'], {
        input: `${JSON.stringify({ op: 'upsert', resource: 'topics', id: '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11', data: topic(name) })}\n`,
      });
    const name = `kept when ${victim} is killed`;
    expect((await change(name)).exitCode).toBe(0);
    const [supervisor, postmaster] = [supervisorOf(installation.dataDir), postmasterOf(installation.dataDir)];
    if (victim === 'the supervisor' || victim === 'all of them') process.kill(supervisor, 'SIGKILL');
    if (victim === 'PostgreSQL' || victim === 'all of them') process.kill(postmaster, 'SIGKILL');
    await service.kill9();
    const again = await installation.start();
    const answer = await again.fetch('/api/v1/data/changes?resource=topics', { key });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(`"name":"${name}"`);
    expect((await again.stop()).exitCode).toBe(0);
  },
);

test.each(['the supervisor', 'PostgreSQL'])('after the end of %s, the service answers again by itself', async (victim) => {
  const service = await installation.start();
  const key = await installation.openAccount();
  process.kill(victim === 'PostgreSQL' ? postmasterOf(installation.dataDir) : supervisorOf(installation.dataDir), 'SIGKILL');
  const status = await untilAnswered(() => service.fetch('/api/v1/data/changes?limit=1', { key }));
  expect(status).toBe(200);
  expect((await service.stop()).exitCode).toBe(0);
});

/** The status of the first answer that is 200, or of the last one within half a minute. */
async function untilAnswered(ask: () => Promise<Response>): Promise<number> {
  const from = performance.now();
  for (;;) {
    const { status } = await ask();
    if (status === 200 || performance.now() - from > 30_000) return status;
    await after(20);
  }
}

const topic = (name: string): object => ({
  slug: 'zoning',
  name,
  publicLabel: 'Zoning',
  description: 'Changes of zoning',
  keywords: ['zoning'],
  negativeKeywords: [],
  selectable: true,
  classificationActive: true,
  taxonomyManaged: false,
});
