import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withNightly } from '../support/test-runs.ts';
import { nightlyDescribe, nightlyTest } from '../support/nightly-test.ts';
import { RejectedFile } from '../../src/cli/rejected-file.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { supervisorOf, processesOf } from '../support/embedded-users.ts';
import {
  type Answered,
  type Installation,
  MAIN,
  makeInstallation,
  runProgram,
  type Service,
} from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

let installation: Installation;
let service: Service;

beforeAll(async () => {
  installation = makeInstallation('civic-records-');
  service = await installation.start();
});

afterAll(async () => {
  await service.stop();
  await installation.close();
});

const record = (name: string, title = name): object => ({
  op: 'upsert',
  resource: 'documents',
  id: derivedId('cli', name),
  data: { kind: 'agenda', title, url: 'https://example.org/agenda.pdf' },
});
function file(name: string, content: string | Buffer): string {
  const path = join(installation.folder, name);
  writeFileSync(path, content);
  return path;
}
const ndjson = (changes: readonly object[]): string => changes.map((change) => `${JSON.stringify(change)}\n`).join('');
const importing = (path: string, run = installation.civicHere): Promise<Answered> =>
  run(['records', 'import', path, '--json']);
const tally = (answer: Answered): Record<string, number> => JSON.parse(answer.stdout) as Record<string, number>;
const rejects = (path: string) =>
  readFileSync(`${path}.rejected.ndjson`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { line: number; reason: string });

describe('import', () => {
  test('reports a missing file and a folder in one line each', async () => {
    mkdirSync(join(installation.folder, 'folder'));
    for (const name of ['missing.ndjson', 'folder']) {
      const answer = await importing(name);
      expect(answer.exitCode).toBe(1);
      expect(answer.stdout).toBe('');
      expect(answer.stderr).toMatch(new RegExp(`^civic: cannot read ${name}: [^\\n]+\\n$`));
    }
  });

  nightlyTest('keeps each bad line of concurrent batches once and whole', async () => {
    const bad = Array.from({ length: 4_000 }, (_, number) => ({
      ...record(`bad ${number}`),
      data: { kind: 'agenda', titel: 'x'.repeat(200) },
    }));
    const path = file('all-bad.ndjson', ndjson(bad));
    const answer = await importing(path);
    expect(answer.exitCode).toBe(3);
    expect(answer.stderr).toBe(
      `civic: 4000 of 4000 lines were refused; they are in ${path}.rejected.ndjson with the reason of each\n`,
    );
    expect(
      rejects(path)
        .map(({ line }) => line)
        .toSorted((a, b) => a - b),
    ).toEqual(bad.map((_, index) => index + 1));
  });

  test('imports the good lines and names the bad ones with their numbers', async () => {
    const path = file(
      'mixed.ndjson',
      Buffer.concat([
        Buffer.from(ndjson([record('first')])),
        Buffer.from('{"op":"upsert",\n'),
        Buffer.from(ndjson([{ ...record('second'), extra: 1 }])),
        Buffer.from(
          ndjson([
            {
              op: 'upsert',
              resource: 'documents',
              id: derivedId('cli', 'third'),
              data: { kind: 'agenda', titel: 'x' },
            },
          ]),
        ),
        Buffer.from([0x7b, 0xff, 0xfe, 0x0a]),
        Buffer.from(ndjson([{ ...record('fourth'), data: { kind: 'agenda', title: 'x', url: 'nonsense' } }])),
        Buffer.from('{"op":"remove","resource":"documents","id":1e400}\n'),
        Buffer.from(ndjson([record('last')])),
      ]),
    );
    const answer = await importing(path);
    expect(answer.exitCode).toBe(3);
    expect(tally(answer)).toMatchObject({ read: 8, appended: 2, unchanged: 0, rejected: 6 });
    expect(answer.stderr).toBe(
      `civic: 6 of 8 lines were refused; they are in ${path}.rejected.ndjson with the reason of each\n`,
    );
    expect(
      rejects(path)
        .map(({ line }) => line)
        .toSorted((one, other) => one - other),
    ).toEqual([2, 3, 4, 5, 6, 7]);
    expect(rejects(path).every(({ reason }) => reason.length > 10)).toBe(true);
  });

  describe('does not write refused lines through what exists at the name of their file:', () => {
    const BAD = '{"op":"upsert",\n';
    const placed = (name: string, place: (rejected: string, target: string) => void) => {
      const path = file(name, ndjson([record(name)]) + BAD);
      const target = file(`${name}.target`, 'precious');
      place(`${path}.rejected.ndjson`, target);
      return { path, target };
    };
    test.each<readonly [string, (rejected: string, target: string) => void, string]>([
      ['a symbolic link', (rejected, target) => symlinkSync(target, rejected), 'is a symbolic link'],
      [
        'a symbolic link to nothing',
        (rejected, target) => symlinkSync(`${target}.new`, rejected),
        'is a symbolic link',
      ],
      ['a hard link', (rejected, target) => linkSync(target, rejected), 'has another name too (a hard link)'],
      ['a pipe', (rejected) => void execFileSync('mkfifo', [rejected]), 'is no regular file'],
    ])('%s', async (name, place, reason) => {
      const { path, target } = placed(name.replaceAll(' ', '-'), place);
      const answer = await importing(path);
      expect(answer).toMatchObject({ exitCode: 1, stdout: '' });
      expect(answer.stderr).toBe(
        `civic: the refused lines cannot be written: ${path}.rejected.ndjson ${reason}; they are only in the input: remove that file and run the same import again, which repeats nothing\n`,
      );
      expect(readFileSync(target, 'utf8')).toBe('precious');
      expect(existsSync(`${target}.new`)).toBe(false);
      rmSync(`${path}.rejected.ndjson`);
      expect(tally(await importing(path))).toMatchObject({ appended: 1, rejected: 1 });
      expect(statSync(`${path}.rejected.ndjson`).mode & 0o777).toBe(0o600);
    });

    test.each<readonly [string, (rejected: string, target: string) => void, RegExp]>([
      ['a symbolic link', (rejected, target) => symlinkSync(target, rejected), /is a symbolic link/],
      ['a hard link', (rejected, target) => linkSync(target, rejected), /a hard link/],
    ])('%s that comes after the import has begun', async (name, place, reason) => {
      const { path, target } = placed(`late-${name.replaceAll(' ', '-')}`, () => undefined);
      const rejected = await RejectedFile.beside(path);
      place(rejected.path, target);
      await expect(rejected.add({ number: 1, bytes: Buffer.from(BAD), length: BAD.length }, 'bad')).rejects.toThrow(
        reason,
      );
      await rejected.close().catch(() => undefined);
      expect(readFileSync(target, 'utf8')).toBe('precious');
    });

    test('replaces an earlier file of refused lines, and leaves it when no line is refused', async () => {
      const path = file('again.ndjson', BAD.repeat(3));
      await importing(path);
      writeFileSync(path, BAD);
      await importing(path);
      expect(rejects(path)).toHaveLength(1);
      writeFileSync(path, ndjson([record('again')]));
      expect(tally(await importing(path))).toMatchObject({ rejected: 0 });
      expect(rejects(path)).toHaveLength(1);
    });
  });

  nightlyTest(
    'keeps the refused lines of imports that run at once in files of their own, and takes over the file of a killed one',
    async () => {
      const bad = (name: string, count: number): string => `nonsense of ${name}\n`.repeat(count);
      const stdin = ['records', 'import', '-', '--json'];
      const lines = (name: string): readonly string[] =>
        readFileSync(join(installation.folder, name), 'utf8').trimEnd().split('\n');
      const holding = async (name: string) => {
        const running = installation.run(stdin, { input: { startsWith: bad(name, 3) } });
        await untilTrue('a refused line is written', () => {
          const path = join(installation.folder, 'import.rejected.ndjson');
          return Promise.resolve(existsSync(path) && readFileSync(path, 'utf8').includes(`nonsense of ${name}`));
        });
        return running;
      };
      const first = await holding('first');
      const second = await installation.civic(stdin, { input: bad('second', 2_000) });
      first.child.stdin?.end(bad('first', 1));
      for (const [answer, name, file, count] of [
        [await first.ended, 'first', 'import.rejected.ndjson', 4],
        [second, 'second', 'import.rejected-2.ndjson', 2_000],
      ] as const) {
        expect(answer).toMatchObject({
          exitCode: 3,
          stderr: expect.stringContaining(`they are in ${file} with`) as unknown,
        });
        expect(lines(file)).toHaveLength(count);
        for (const line of lines(file)) expect(JSON.parse(line)).toMatchObject({ text: `nonsense of ${name}` });
      }
      const killed = await holding('killed');
      killed.kill('SIGKILL');
      await killed.ended;
      expect((await installation.civic(stdin, { input: bad('last', 2) })).stderr).toContain(
        'they are in import.rejected.ndjson with',
      );
      expect(lines('import.rejected.ndjson')).toHaveLength(2);
      expect(readdirSync(installation.folder).filter((name) => name.startsWith('.import-'))).toEqual([]);
    },
  );

  test('refuses a binary file line by line', async () => {
    const path = file('binary', Buffer.from(Uint8Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 256)));
    const answer = await importing(path);
    expect(answer.exitCode).toBe(3);
    expect(tally(answer)).toMatchObject({ appended: 0, unchanged: 0 });
    expect(tally(answer)['rejected']).toBe(tally(answer)['read']);
  });

  nightlyTest('refuses ten megabytes of garbage, in one line and in many', async () => {
    const one = await importing(file('one-line', Buffer.alloc(10_000_000, 'nonsense ')));
    expect({ exitCode: one.exitCode, tally: tally(one) }).toMatchObject({
      exitCode: 3,
      tally: { read: 1, rejected: 1 },
    });
    const many = await importing(file('many-lines', 'nonsense is here\n'.repeat(600_000)));
    expect({ exitCode: many.exitCode, tally: tally(many) }).toMatchObject({
      exitCode: 3,
      tally: { read: 600_000, rejected: 600_000 },
    });
    expect(rejects(join(installation.folder, 'many-lines'))).toHaveLength(600_000);
  });

  test('accepts an empty input', async () => {
    const answer = await installation.civic(['records', 'import', '-', '--json'], { input: '' });
    expect({ exitCode: answer.exitCode, tally: tally(answer) }).toMatchObject({
      exitCode: 0,
      tally: { read: 0, appended: 0 },
    });
  });

  const SIGNALS = withNightly(['SIGTERM'] as const, ['SIGINT'] as const);
  test.each(SIGNALS)('%s ends an import that waits for more input, and its written records stay', async (signal) => {
    const changes = Array.from({ length: 500 }, (_, number) => record(`${signal} ${number}`));
    const running = installation.run(['records', 'import', '-', '--json'], {
      input: { startsWith: ndjson(changes) },
    });
    const stored = async () => (await exported()).filter((line) => line.includes(`"${signal} `)).length;
    while ((await stored()) < changes.length) expect(processesOf(installation.dataDir).length).toBeGreaterThan(0);
    running.kill(signal);
    expect(await running.ended).toMatchObject({ exitCode: 130, stdout: '', stderr: `civic: stopped by ${signal}\n` });
    expect(await stored()).toBe(changes.length);
  });
});

async function exported(...args: readonly string[]): Promise<readonly string[]> {
  const answer = await installation.civicHere(['records', 'export', ...args]);
  expect({ exitCode: answer.exitCode, stderr: answer.stderr }).toEqual({ exitCode: 0, stderr: '' });
  return answer.stdout.split('\n').filter((line) => line !== '');
}

describe('export', () => {
  nightlyTest('ends without a message when its reader disconnects', async () => {
    const changes = Array.from({ length: 1500 }, (_, number) => record(`long ${number}`, 'A long title. '.repeat(60)));
    expect((await importing(file('long.ndjson', ndjson(changes)), installation.civic)).exitCode).toBe(0);
    const shell = `set -o pipefail; "${process.execPath}" "${MAIN}" records export | head -n 1`;
    const { stdout, stderr, exitCode } = await runProgram(['bash', '-c', shell], {
      cwd: installation.folder,
      env: installation.environment(),
    }).ended;
    expect({ lines: stdout.split('\n').length, stderr, exitCode }).toEqual({ lines: 2, stderr: '', exitCode: 141 });
  });

  nightlyTest.each([['records', 'export'], ['projections', 'list', '--json'], ['backup', '--to', '-'], ['--help']])(
    'reports in one line that a full disk took no answer of: %s %s',
    async (...args) => {
      const shell = ['bash', '-c', 'exec "$0" "$@" > /dev/full', process.execPath, MAIN, ...args];
      const { exitCode, stderr } = await runProgram(shell, {
        cwd: installation.folder,
        env: installation.environment(),
      }).ended;
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: 'civic: the answer could not be written: ENOSPC: no space left on device, write\n',
      });
    },
  );

  test('exports records that import again without a new event', async () => {
    const answer = await importing(file('again.ndjson', `${(await exported()).join('\n')}\n`));
    expect(tally(answer)).toMatchObject({ appended: 0, rejected: 0 });
  });
});

nightlyDescribe('several commands at once', () => {
  test('give each record once when two imports have the same records', async () => {
    const changes = Array.from({ length: 800 }, (_, number) => record(`both ${number}`));
    const path = file('both.ndjson', ndjson(changes));
    const twice = file('both-too.ndjson', ndjson(changes));
    const [one, other] = await Promise.all([importing(path, installation.civic), importing(twice, installation.civic)]);
    expect([one.exitCode, other.exitCode]).toEqual([0, 0]);
    expect(tally(one)['appended']! + tally(other)['appended']!).toBe(changes.length);
    expect((await exported('--resource', 'documents')).filter((line) => line.includes('"title":"both '))).toHaveLength(
      changes.length,
    );
  });

  test('do not affect the service and its database when they end', async () => {
    const supervisor = supervisorOf(installation.dataDir);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => installation.civic(['projections', 'list', '--json'])),
    );
    expect(answers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(supervisorOf(installation.dataDir)).toBe(supervisor);
    expect((await fetch(`${service.opsUrl}/readyz`)).status).toBe(200);
  });

  test('do not affect them when they are killed', async () => {
    const supervisor = supervisorOf(installation.dataDir);
    const running = installation.run(['records', 'import', '-'], { input: { startsWith: ndjson([record('killed')]) } });
    await untilTrue(
      'the command has the program loaded',
      () => readFileSync(`/proc/${running.pid}/maps`, 'utf8').includes('.node') || threadsOf(running.pid) > 4,
    );
    running.kill('SIGKILL');
    expect((await running.ended).signal).toBe('SIGKILL');
    expect(supervisorOf(installation.dataDir)).toBe(supervisor);
    expect((await fetch(`${service.opsUrl}/readyz`)).status).toBe(200);
  });
});

const threadsOf = (pid: number): number =>
  Number(/Threads:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
