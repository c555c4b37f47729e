import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { processesOf } from '../support/embedded-users.ts';
import { bannerOf, remaining, runProgram } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';
import { CHECKOUT, NPM_START, useNpmStart } from '../support/npm-start.ts';

const here = useNpmStart();
const CONTROL_C = '\x03';
const TERMINAL = spawnSync('script', ['--version']).status === 0;

test.skipIf(!TERMINAL)(
  'a first start on a terminal prints a key, and the printed lines work with it (needs script)',
  async () => {
    await here.makeAnother();
    // A terminal without output processing, which keeps the line ends of the program.
    const inside = `stty -opost; exec ${NPM_START.join(' ')}`;
    const command = ['script', '--quiet', '--return', '--command', inside, '/dev/null'];
    const env = here.installation().environment({ CIVIC_SAMPLE: 'on' });
    const terminal = runProgram(command, { cwd: CHECKOUT, env, input: { startsWith: '' } });
    here.ending(terminal);
    try {
      const banner = await bannerOf(terminal);
      expect(banner).toMatch(/^API key +crs_\w+\n +\(the sample account; shown this once\)$/m);
      expectToWork(banner, {});
    } finally {
      terminal.child.stdin?.write(CONTROL_C);
      await terminal.ended;
    }
    expect((await terminal.ended).exitCode).toBe(0);
    expect(processesOf(here.installation().dataDir)).toEqual([]);
  },
);

test('a first start into a file or a pipe prints no key but the command that issues one', async () => {
  await here.makeAnother();
  const { banner, npm } = await here.npmStart('on');
  expect(banner).not.toContain('crs_');
  const command =
    banner
      .split('\n')
      .find((line) => line.includes(' keys issue --account '))
      ?.trim() ?? '';
  const { stdout, stderr } = spawnSync('sh', ['-c', `${command} --json`], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    env: { ...here.installation().environment(), npm_config_ignore_scripts: 'true' },
  });
  expect(stderr).toBe('');
  expectToWork(banner, { CIVIC_API_KEY: (JSON.parse(stdout) as { key: string }).key });
  npm.kill('SIGTERM');
  const ended = await npm.ended;
  expect(ended.stdout + ended.stderr).not.toContain('crs_');
  expect(ended.stderr).toMatch(
    /starting the embedded PostgreSQL[^]*seeding the event log[^]*folding the log into the read models/,
  );
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
    const pattern = line === lines[0] ? /^20[01]\n.*"evidenceQuote"/ : /^20[01]\n\{"data":/;
    let answer = '';
    // An overloaded machine answers late, which is a 503 or an empty public list.
    for (let tries = 0; tries < MAX_TRIES && !pattern.test(answer); tries += 1) {
      const command = `${line} -s -w '\\n%{http_code}'`;
      const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: { ...process.env, ...env } });
      const [body = '', status] = stdout.split('\n');
      answer = `${status}\n${body}`;
    }
    expect(answer).toMatch(pattern);
  }
}

test('SIGINT to the whole process group ends everything with exit 0', async () => {
  // setsid makes the process the leader of its own group and becomes npm.
  const { npm, service } = await here.npmStart('off', ['setsid']);
  process.kill(-npm.pid, 'SIGINT');
  expect((await npm.ended).exitCode).toBe(0);
  here.expectNothingLeft(service);
});

test('SIGTERM during a start ends it with exit 0, and the next start is complete', async () => {
  await here.makeAnother();
  const starting = here.installation().launch({ sample: 'on' });
  starting.ready.catch(() => undefined);
  await untilTrue(
    'the server of the new folder is being made',
    () => processesOf(here.installation().dataDir).length > 0,
  );
  starting.kill('SIGTERM');
  const { exitCode, stderr } = await starting.ended;
  expect({ exitCode, stderr: stderr.includes('    at ') }).toEqual({ exitCode: 0, stderr: false });
  expect(await remaining(here.installation().dataDir)).toEqual([]);
  const service = await here.installation().start({ sample: 'on' });
  expect(
    (
      await service.fetch('/api/v1/data/changes?limit=1', {
        key: service.key ?? (await here.installation().openAccount()),
      })
    ).status,
  ).toBe(200);
  expect((await service.stop()).exitCode).toBe(0);
});
