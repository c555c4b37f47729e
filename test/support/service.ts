import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SAMPLE_ACCOUNT_ID } from '../../src/sources/first-run.ts';
import { processesOf } from './embedded-users.ts';
import { copyPreparedData } from './prepared-data.ts';
import { STALL_MS } from './until-reached.ts';
import { withoutProgress } from './without-progress.ts';

/** The program's entry, as users start it. */
export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const LAST_LINE_OF_BANNER = "/api/v1/data/health'\n";
/** Far longer than a start and an end take on a busy machine. */
const START_MS = 300_000;
const END_MS = STALL_MS;

const MANY = { requests_per_minute: 1_000_000, burst_limit: 1_000_000, export_requests_per_hour: 1_000_000 };
/** Raised allowances, because tests send more requests than a customer may. Empty texts restore the defaults. */
export const RAISED_ALLOWANCES: Environment = {
  CIVIC_PLANS: JSON.stringify({ default: MANY, pro: MANY, ultra: MANY }),
  CIVIC_ABUSE_LIMIT: '1000000/60,1000000/1',
};
export const BUILT_IN_ALLOWANCES: Environment = { CIVIC_PLANS: '', CIVIC_ABUSE_LIMIT: '' };

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Answered extends Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `civic` command. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Answered>;
  kill(signal: NodeJS.Signals): void;
}

/** The real program, serving. */
export interface Service {
  readonly baseUrl: string;
  readonly opsUrl: string;
  /** A key of the sample account; null if no sample was made at this start. */
  readonly key: string | null;
  readonly pid: number;
  readonly ended: Promise<Answered>;
  /** Ends it as an operator does; resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<Answered>;
  /** Ends the process like `kill -9`. Resolves when it has ended. The supervisor and PostgreSQL are not signalled. */
  kill9(): Promise<void>;
  /** GET or POST with the key. */
  fetch(
    path: string,
    options?: { readonly method?: string; readonly key?: string; readonly body?: string },
  ): Promise<Response>;
}

/** A service that may not be up yet. */
export type Launched = Running & { readonly child: ChildProcess; readonly ready: Promise<Service> };

export interface ServiceStart {
  readonly sample?: 'on' | 'off';
  /** Default: all roles in one process. */
  readonly role?: 'api' | 'projector' | 'relay' | 'worker';
  readonly env?: Environment;
}

/** A separate data directory, with everything that runs on it. */
export interface Installation {
  /** Working directory of all commands; `dataDir` lies in it. */
  readonly folder: string;
  readonly dataDir: string;
  /** The environment of its programs: only the settings of this installation. */
  environment(env?: Environment): Environment;
  start(options?: ServiceStart): Promise<Service>;
  /** The same without waiting for it to be up. */
  launch(options?: ServiceStart): Launched;
  readonly civic: (args: readonly string[], options?: CivicOptions) => Promise<Answered>;
  /**
   * The same in the process of the test, with a sixth of the work; for tests without a start, kill or pipe of a
   * process.
   */
  readonly civicHere: (args: readonly string[], options?: CivicOptionsHere) => Promise<Answered>;
  /** The same without waiting for its end. */
  run(args: readonly string[], options?: CivicOptions): Running & { readonly child: ChildProcess };
  /** The key of a new account that may read and export, and is paid through. */
  openAccount(): Promise<string>;
  /** Ends what still runs and removes the folder; throws when a supervisor or a PostgreSQL process had to be killed. */
  close(): Promise<void>;
}

/** Input that starts with a text and does not end. */
export interface Open {
  readonly startsWith: string;
}

export interface CivicOptions {
  /** Its input; `Open` input lasts until the command ends. */
  readonly input?: string | Buffer | Open;
  readonly env?: Environment;
}

export interface CivicOptionsHere {
  readonly input?: string | Buffer;
  readonly env?: Environment;
}

/** The environment of the tests without any setting of the program in it. */
export const plainEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(CIVIC_|DATABASE_URL|EVENTSTORE_URL|KAFKA_|NODE_OPTIONS|VITEST)/.test(name)
        ? []
        : [[name, value]],
    ),
  );

const living = new Set<ChildProcess>();
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')));

/** Starts a program and collects what it says. */
export function runProgram(
  command: readonly string[],
  {
    cwd,
    env,
    input,
  }: { readonly cwd: string; readonly env: Environment; readonly input?: string | Buffer | Open | undefined },
): Running & { readonly child: ChildProcess } {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  living.add(child);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
  }
  // A program that ends before it has read its input is not a failure here.
  child.stdin.on('error', () => undefined);
  if (typeof input === 'object' && 'startsWith' in input) child.stdin.write(input.startsWith);
  else child.stdin.end(input ?? '');
  const ended = new Promise<Answered>((resolve, reject) => {
    child.once('error', reject).once('close', (exitCode, signal) => {
      living.delete(child);
      resolve({ exitCode, signal, stdout: output.stdout, stderr: withoutProgress(output.stderr) });
    });
  });
  return { child, pid: child.pid ?? 0, ended, kill: (signal) => void child.kill(signal) };
}

/**
 * Makes an installation in a temporary folder, whose programs all get these settings. Close it in `afterAll` or
 * `finally`. Its data directory holds a migrated database, which saves half of the work of a first start; `bare` is for
 * tests of that start.
 */
export function makeInstallation(
  name = 'civic-service-',
  settings: Environment = {},
  state: 'prepared' | 'bare' = 'prepared',
): Installation {
  const folder = mkdtempSync(join(tmpdir(), name));
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  if (state === 'prepared' && settings['DATABASE_URL'] === undefined) copyPreparedData(dataDir);
  const started = new Set<Running>();
  const environment = (env: Environment = {}): Environment => ({
    ...plainEnvironment(),
    CIVIC_DATA_DIR: dataDir,
    CIVIC_HTTP_PORT: '0',
    CIVIC_OPS_PORT: '0',
    ...RAISED_ALLOWANCES,
    ...settings,
    ...env,
  });
  const start = <Program extends Running>(program: Program): Program => {
    started.add(program);
    void program.ended.finally(() => started.delete(program)).catch(() => undefined);
    return program;
  };
  const run = (
    args: readonly string[],
    { env, input }: CivicOptions = {},
  ): Running & { readonly child: ChildProcess } =>
    start(runProgram([process.execPath, MAIN, ...args], { cwd: folder, env: environment(env), input }));

  // Loads the whole program only for a command in this process.
  const civicHere: Installation['civicHere'] = async (args, { env, input } = {}) => {
    const { runCivicHere } = await import('./civic-here.ts');
    return { signal: null, ...(await runCivicHere(args, { cwd: folder, env: environment(env), input })) };
  };

  /** Issued by the command that a first start without a terminal prints. */
  const issuedKey = async (banner: string, env: Environment): Promise<string | null> => {
    const printed = new RegExp(
      `^ *npm run --silent civic -- (keys issue --account ${SAMPLE_ACCOUNT_ID} .*)$`,
      'm',
    ).exec(banner)?.[1];
    if (printed === undefined) return null;
    const { stdout, stderr } = await civicHere([...printed.split(' '), '--json'], { env });
    if (stdout === '') throw new Error(`the printed command failed: ${stderr}`);
    return (JSON.parse(stdout) as { key: string }).key;
  };

  const launch = ({ sample = 'off', role, env = {} }: ServiceStart = {}): Launched => {
    const command = [process.execPath, MAIN, 'serve', ...(role === undefined ? [] : ['--role', role])];
    const program = start(runProgram(command, { cwd: folder, env: environment({ CIVIC_SAMPLE: sample, ...env }) }));
    const ready = async (): Promise<Service> => {
      const banner = await bannerOf(program);
      return toService(program, banner, await issuedKey(banner, env));
    };
    return { ...program, ready: ready() };
  };

  return {
    folder,
    dataDir,
    environment,
    run,
    civic: (args, options) => run(args, options).ended,
    civicHere,
    launch,
    start: (options) => launch(options).ready,
    async openAccount() {
      const paid = ['--channel', 'subscription', '--tier', 'pro', '--paid-until', '2099-01-01T00:00:00Z'];
      const opened = await civicHere(['accounts', 'open', '--name', 'Test', ...paid, '--json']);
      const { accountId } = JSON.parse(opened.stdout) as { accountId: string };
      const issued = await civicHere([
        'keys',
        'issue',
        '--account',
        accountId,
        '--scope',
        'civic:read,civic:export',
        '--json',
      ]);
      return (JSON.parse(issued.stdout) as { key: string }).key;
    },
    async close() {
      for (const program of started) program.kill('SIGKILL');
      await Promise.all([...started].map(({ ended }) => ended));
      const remnants = await remaining(dataDir);
      for (const { pid } of remnants) killed(pid);
      rmSync(folder, { recursive: true, force: true });
      if (remnants.length > 0) throw new Error(`left behind: ${remnants.map(({ command }) => command).join('; ')}`);
    },
  };
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its parent.
  }
}

/**
 * The supervisor and PostgreSQL processes that still live on a data directory after the time that a clean end takes.
 */
export async function remaining(dataDir: string): Promise<ReturnType<typeof processesOf>> {
  const started = performance.now();
  for (;;) {
    const remnants = processesOf(dataDir);
    if (remnants.length === 0 || performance.now() - started > END_MS) return remnants;
    await after(20);
  }
}

/** Returns the whole output of the service at its start; throws `ServiceDidNotStart` if it ends instead. */
export async function bannerOf(program: Running & { readonly child: ChildProcess }): Promise<string> {
  const timer = setTimeout(() => program.kill('SIGKILL'), START_MS);
  let text = '';
  try {
    await new Promise<void>((resolve, reject) => {
      program.child.stdout?.on('data', (part: string) => {
        text += part;
        if (text.includes(LAST_LINE_OF_BANNER)) resolve();
      });
      program.ended.then(
        ({ exitCode, signal, stderr }) => reject(new ServiceDidNotStart(exitCode, signal, stderr)),
        (error: unknown) => reject(error as Error),
      );
    });
    return text;
  } finally {
    clearTimeout(timer);
  }
}

/** The service ended before it had printed its banner. */
export class ServiceDidNotStart extends Error {
  override readonly name = 'ServiceDidNotStart';
  readonly exitCode: number | null;
  readonly stderr: string;
  constructor(exitCode: number | null, signal: NodeJS.Signals | null, stderr: string) {
    super(`the service ended with ${exitCode ?? signal ?? '?'} instead of starting: ${stderr.slice(-2000)}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

function toService(program: Running, banner: string, key: string | null): Service {
  const findInBanner = (pattern: RegExp): string | null => pattern.exec(banner)?.[1] ?? null;
  const baseUrl = findInBanner(/^Civic Records +(http\S+)$/m) ?? '';
  return {
    baseUrl,
    opsUrl: findInBanner(/^operators +(http\S+)\/ops/m) ?? '',
    key,
    pid: program.pid,
    ended: program.ended,
    stop(signal = 'SIGTERM') {
      program.kill(signal);
      return program.ended;
    },
    async kill9() {
      program.kill('SIGKILL');
      await program.ended;
    },
    fetch: (path, options = {}) =>
      fetch(`${baseUrl}${path}`, {
        method: options.method ?? 'GET',
        headers: { authorization: `Bearer ${options.key ?? key ?? ''}`, connection: 'close' },
        ...(options.body === undefined ? {} : { body: options.body }),
      }),
  };
}
