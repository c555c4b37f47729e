import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { postmasterOf, supervisorOf } from '../support/embedded-users.ts';
import { withNightly } from '../support/test-runs.ts';
import { useNpmStart } from '../support/npm-start.ts';

const here = useNpmStart('prepared');

const SIGNALS = withNightly(['SIGTERM'] as const, ['SIGINT'] as const);

test.each(SIGNALS)('%s to npm ends everything with exit 0, and no process is left', async (signal) => {
  const { npm, service } = await here.npmStart('off');
  // npm has replaced its shell by the service.
  expect(readFileSync(`/proc/${service}/cmdline`, 'utf8').split('\0').slice(1)).toEqual(['src/main.ts', 'serve', '']);
  npm.kill(signal);
  expect((await npm.ended).exitCode).toBe(0);
  here.expectNothingLeft(service);
});

test('a second and third SIGTERM change nothing', async () => {
  const { npm, service } = await here.npmStart('off');
  for (let time = 0; time < 3; time += 1) process.kill(service, 'SIGTERM');
  expect((await npm.ended).exitCode).toBe(0);
  here.expectNothingLeft(service);
  expect(readFileSync(`${here.installation().dataDir}/postgresql.log`, 'utf8')).toContain(
    'database system is shut down',
  );
});

const KILLED = withNightly(['all of them'], ['the service', 'the supervisor', 'PostgreSQL']);

test.each(KILLED)('after kill -9 of %s the next start recovers by itself', async (victim) => {
  const service = await here.installation().start();
  const key = await here.installation().openAccount();
  const change = (name: string) =>
    here.installation().civicHere(['records', 'import', '-', '--json'], {
      input: `${JSON.stringify({ op: 'upsert', resource: 'topics', id: '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11', data: topic(name) })}\n`,
    });
  const name = `kept when ${victim} is killed`;
  expect((await change(name)).exitCode).toBe(0);
  const [supervisor, postmaster] = [
    supervisorOf(here.installation().dataDir),
    postmasterOf(here.installation().dataDir),
  ];
  if (victim === 'the supervisor' || victim === 'all of them') process.kill(supervisor, 'SIGKILL');
  if (victim === 'PostgreSQL' || victim === 'all of them') process.kill(postmaster, 'SIGKILL');
  await service.kill9();
  const again = await here.installation().start();
  const answer = await again.fetch('/api/v1/data/changes?resource=topics', { key });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain(`"name":"${name}"`);
  expect((await again.stop()).exitCode).toBe(0);
});

const ENDED = withNightly(['PostgreSQL'], ['the supervisor']);

test.each(ENDED)('after the end of %s, the service answers again by itself', async (victim) => {
  const service = await here.installation().start();
  const key = await here.installation().openAccount();
  process.kill(
    victim === 'PostgreSQL' ? postmasterOf(here.installation().dataDir) : supervisorOf(here.installation().dataDir),
    'SIGKILL',
  );
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
