import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useEmbeddedFolder } from '../support/embedded-folder.ts';
import { type EmbeddedUser, postmasterOf, processesOf } from '../support/embedded-users.ts';
import { copyPreparedData } from '../support/prepared-data.ts';

const here = useEmbeddedFolder();
let env: Record<string, string>;

const start = (role: 'service' | 'command' = 'service'): EmbeddedUser => here.start(role, { env });

/** macOS has no flock either. */
function programsWithoutFlock(folder: string): string {
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  for (const directory of (process.env['PATH'] ?? '').split(delimiter).filter(existsSync))
    for (const name of readdirSync(directory).filter(
      (program) => program !== 'flock' && !existsSync(join(programs, program)),
    ))
      symlinkSync(join(directory, name), join(programs, name));
  return programs;
}

beforeEach(({ skip }) => {
  if (spawnSync('perl', ['-v']).error !== undefined) skip('needs perl');
  env = { PATH: programsWithoutFlock(here.folder) };
});

test('users share one server, the end of one does not stop it, and the next start finds every row', async () => {
  copyPreparedData(here.dataDir);
  const service = start();
  expect(await service.next()).toHaveProperty('url');
  expect(await service.ask('insert')).toEqual({ count: 1 });
  const server = postmasterOf(here.dataDir);
  const [command, other] = [start('command'), start('command')];
  for (const user of [command, other]) expect(await user.next()).toHaveProperty('url');
  await command.kill();
  expect((await start().next()).refused).toMatch(/a service already runs on this data directory/);
  await service.kill();
  expect(await other.ask('count')).toEqual({ count: 1 });
  expect(postmasterOf(here.dataDir)).toBe(server);
  expect(await other.ask('leave')).toEqual({ left: true });
  expect(processesOf(here.dataDir)).toEqual([]);
  const next = start();
  await next.next();
  expect(await next.ask('count')).toEqual({ count: 1 });
});

test('ten processes at once on a new folder get one server', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, async () => start('command').next()));
  expect(answers.filter(({ refused }) => refused !== undefined)).toEqual([]);
  expect(new Set(answers.map(({ url }) => url)).size).toBe(1);
  expect(processesOf(here.dataDir).filter(({ command }) => command.includes('supervisor.sh'))).toHaveLength(1);
});
