import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from './child-environment.ts';
import { STALL_MS, untilTrue } from './until-reached.ts';

export interface Answer {
  readonly url?: string;
  readonly milliseconds?: number;
  readonly refused?: string;
  readonly name?: string;
  readonly count?: number;
  readonly failed?: string;
  readonly left?: boolean;
  readonly logged?: string;
}

/** A process that uses an embedded database under control of a test. */
export interface EmbeddedUser {
  readonly pid: number;
  /** Its next line of output. */
  next(): Promise<Answer>;
  ask(request: 'insert' | 'count' | 'leave'): Promise<Answer>;
  /** Kills it as `kill -9` does and waits for its end. */
  kill(): Promise<void>;
}

export interface UserStart {
  readonly dataDir: string;
  readonly role: 'service' | 'command';
  /** A prefix of the command line, for another user or environment. */
  readonly prefix?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts such a process; its first line states whether it was accepted. */
export function startUser(start: UserStart): EmbeddedUser {
  const main = fileURLToPath(new URL('embedded-user-main.ts', import.meta.url));
  const [file, ...args] = [
    ...(start.prefix ?? []),
    process.execPath,
    main,
    start.dataDir,
    start.role,
    String(STALL_MS),
  ];
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], env: childEnvironment(start.env) });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Answer> => {
    const { value, done } = await lines.next();
    return done === true ? { failed: 'the process has ended' } : (JSON.parse(value) as Answer);
  };
  return {
    pid: child.pid ?? 0,
    next,
    ask(request) {
      child.stdin.write(`${request}\n`);
      return next();
    },
    kill: async () => killed(child),
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** A folder for one test's data. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'civic-embedded-'));
  chmodSync(folder, 0o755);
  return folder;
}

interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** The running supervisor and PostgreSQL processes of a data directory. */
export function processesOf(dataDir: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const works = command.includes(dataDir) || readlinkSync(`/proc/${name}/cwd`).startsWith(dataDir);
        return works && !command.includes('embedded-user-main') && command !== ''
          ? [{ pid: Number(name), command }]
          : [];
      } catch {
        return [];
      }
    });
}

export function supervisorOf(dataDir: string): number {
  const supervisor = processesOf(dataDir).find(({ command }) => command.includes('supervisor.sh'));
  if (supervisor === undefined) throw new Error(`no supervisor runs for ${dataDir}`);
  return supervisor.pid;
}

export function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgresql', 'postmaster.pid'), 'utf8'), 10);
}

/** Waits until nothing of a data directory runs, then removes it. */
export async function gone(dataDir: string, folder: string): Promise<void> {
  await untilTrue(`no process of ${dataDir} is left`, () => processesOf(dataDir).length === 0);
  rmSync(folder, { recursive: true, force: true });
}
