import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { start, stop } from './processes.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Allowances that are charged and checked, but never exhausted. */
const MANY = {
  requests_per_minute: 1_000_000_000,
  burst_limit: 1_000_000_000,
  export_requests_per_hour: 1_000_000_000,
};

/** The settings of a program on a data directory. */
export function environmentOf(dataDir: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('CIVIC_') || name === 'DATABASE_URL' || name === 'EVENTSTORE_URL'
      ? []
      : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    CIVIC_DATA_DIR: dataDir,
    CIVIC_SAMPLE: 'off',
    CIVIC_HTTP_PORT: '0',
    CIVIC_OPS_PORT: 'off',
    CIVIC_LOG_LEVEL: 'info',
    CIVIC_PLANS: JSON.stringify({ default: MANY, pro: MANY, ultra: MANY }),
    CIVIC_ABUSE_LIMIT: '999999999/60,999999999/1',
    ...extra,
  };
}

/** Runs `civic ARGS --json` to its end; the value that it printed and the milliseconds from spawn to exit. */
export async function civic(
  dataDir: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly value: unknown; readonly ms: number }> {
  const started = performance.now();
  const child = start(process.execPath, [...nodeOptions, MAIN, ...args, '--json'], environmentOf(dataDir, settings));
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr!.on('data', (chunk: Buffer) => err.push(chunk));
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ms = performance.now() - started;
  if (child.exitCode !== 0) throw new Error(`civic ${args.join(' ')}: ${Buffer.concat(err).toString().slice(-500)}`);
  return { value: JSON.parse(Buffer.concat(out).toString()) as unknown, ms };
}

export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Milliseconds from spawn to the first line that says where it listens. */
  readonly bannerMs: number;
}

/**
 * Starts the service as an operator would: authentication, validation and logging on. Resolves when it has printed
 * where it listens.
 */
export async function serve(
  dataDir: string,
  nodeOptions: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Service> {
  const started = performance.now();
  const child = start(process.execPath, [...nodeOptions, MAIN, 'serve', ...args], environmentOf(dataDir, settings));
  const log = createWriteStream(`${dataDir}.log`, { flags: 'a' });
  child.stderr!.pipe(log);
  child.stdout!.pipe(log);
  // Listeners that read on would take processor time from what is measured.
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    const readOutput = (chunk: Buffer): void => {
      text += chunk.toString();
      const address = /Civic Records\s+(http:\S+)/.exec(text)?.[1];
      if (address === undefined) return;
      for (const output of [child.stdout!, child.stderr!]) output.off('data', readOutput);
      resolve(address);
    };
    child.once('close', () => reject(new Error(`the service ended: ${text}`)));
    for (const output of [child.stdout!, child.stderr!]) output.on('data', readOutput);
  });
  return {
    url,
    pid: child.pid!,
    child,
    bannerMs: performance.now() - started,
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** Opens an account with a key that may read and export. */
export async function openAccount(
  dataDir: string,
  scopes = 'civic:read,civic:export',
): Promise<{ readonly accountId: string; readonly key: string }> {
  const paid = ['--tier', 'ultra', '--channel', 'subscription', '--paid-until', '2099-01-01T00:00:00Z'];
  const opened = await civic(dataDir, ['accounts', 'open', '--name', 'Bench', ...paid]);
  const { accountId } = opened.value as { readonly accountId: string };
  const issued = await civic(dataDir, ['keys', 'issue', '--account', accountId, '--scope', scopes]);
  const { key } = issued.value as { readonly key: string };
  return { accountId, key };
}
