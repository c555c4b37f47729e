import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesOf } from './embedded-users.ts';
import { type Answered, type Environment, MAIN, plainEnvironment, runProgram } from './service.ts';

/** A running `civic sandbox`. */
export interface Sandbox {
  readonly service: string;
  /** The control address. */
  readonly control: string;
  readonly operators: string;
  readonly key: string;
  readonly payAsYouGoKey: string;
  /** A request to the control; throws unless it is answered 200. */
  ask<Value>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Value>;
  /** A request to the service with the Ultra key. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Temporary files of its programs. */
  leftBehind(): readonly string[];
  /** Repeated calls return the first result. */
  stop(signal?: NodeJS.Signals): Promise<Answered>;
}

export async function startSandbox(env: Environment = {}): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'civic-sandboxes-'));
  const program = runProgram([process.execPath, MAIN, 'sandbox', '--json'], {
    cwd: folder,
    env: { ...plainEnvironment(), CIVIC_LOG_FORMAT: 'json', ...env, TMPDIR: folder },
  });
  const line = new Promise<string>((resolve) => {
    let output = '';
    program.child.stdout!.on('data', (text: string) => (output += text).includes('\n') && resolve(output));
  });
  const ended = program.ended.then(({ stderr }) => Promise.reject(new Error(`the sandbox ended: ${stderr}`)));
  const first = await Promise.race([line, ended]).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  ended.catch(() => undefined);
  const end = async (signal: NodeJS.Signals): Promise<Answered> => {
    program.kill(signal);
    const answered = await program.ended;
    const remnants = [...readdirSync(folder), ...processesOf(folder).map(({ command }) => command)];
    rmSync(folder, { recursive: true, force: true });
    if (remnants.length > 0) throw new Error(`left behind: ${remnants.join(', ')}`);
    return answered;
  };
  let stopped: Promise<Answered> | undefined;
  const printed = JSON.parse(first) as Pick<Sandbox, 'service' | 'control' | 'operators' | 'key' | 'payAsYouGoKey'>;
  return {
    ...printed,
    async ask<Value>(method: string, path: string, body?: unknown) {
      const init =
        body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await fetch(`${printed.control}${path}`, { method, ...init });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as Value;
    },
    fetch: (path, init = {}) =>
      fetch(`${printed.service}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${printed.key}`, ...(init.headers as Environment) },
      }),
    leftBehind: () => readdirSync(folder),
    stop: (signal = 'SIGTERM') => (stopped ??= end(signal)),
  };
}
