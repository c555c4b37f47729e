import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CHECKOUT } from './production-tree.ts';
import { plainEnvironment } from './service.ts';

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...plainEnvironment(), npm_config_audit: 'false' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

/**
 * Packs the client as for a registry, and installs the archive, without a registry, in an empty folder in `parent`.
 * Returns that folder. It is built in another folder, because several tests do this at once.
 */
export function installClientPackage(parent: string): string {
  const staged = join(parent, 'package');
  mkdirSync(staged);
  for (const name of ['package.json', 'README.md']) cpSync(join(CHECKOUT, 'client', name), join(staged, name));
  run(process.execPath, [join(CHECKOUT, 'tools/client/build.ts'), join(staged, 'dist')], parent);
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', parent], staged);
  const archive = readdirSync(parent).find((name) => name.endsWith('.tgz'))!;
  const folder = join(parent, 'customer');
  mkdirSync(folder);
  run('npm', ['install', '--offline', join(parent, archive)], folder);
  return folder;
}

/** The Node of the machine where it is version 20, the oldest that the client supports; else the present one. */
export function oldestNode(): string {
  const nodePath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file) && /^v20\./.test(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout));
  return nodePath ?? process.execPath;
}
