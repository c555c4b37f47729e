import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect } from 'vitest';
import type { Entry } from './log-tail-checker.ts';
import { untilReached } from './until-reached.ts';

const PROGRAM = fileURLToPath(new URL('./log-tail-process.ts', import.meta.url));

interface Member {
  readonly child: ChildProcess;
  readonly read: Entry[];
  readonly held: Promise<void>;
  /** Closes its input, so that it ends by itself, and waits for that. */
  finish(): Promise<void>;
  kill(): Promise<void>;
}

export interface TailRun {
  readonly readers: readonly (readonly Entry[])[];
  readonly stored: readonly Entry[];
  readonly acknowledged: ReadonlySet<string>;
  readonly complaints: readonly string[];
}

const FURTHER_READS = 200;

/**
 * Runs writers that append, hold, commit and die while readers tail the log, each in a process, and returns what each
 * saw.
 */
export async function runTail(
  dsn: string,
  { readers, seed, rounds }: { readonly readers: readonly string[]; readonly seed: number; readonly rounds: number },
): Promise<TailRun> {
  const acknowledged = new Set<string>();
  const complaints: string[] = [];
  let seeds = seed;
  const start = (role: string): Member => {
    const child = spawn(process.execPath, [PROGRAM, role, dsn, String((seeds += 1))], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const read: Entry[] = [];
    const holds = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const fact = JSON.parse(line) as { acknowledged?: string[]; held?: string; read?: [number, string][] };
      for (const id of fact.acknowledged ?? []) acknowledged.add(id);
      for (const [position, id] of fact.read ?? []) read.push({ position, id });
      if (fact.held !== undefined) holds.resolve();
    });
    child.stderr.on('data', (text: Buffer) => complaints.push(String(text)));
    const closed = once(child, 'close');
    return {
      child,
      read,
      held: holds.promise,
      async finish() {
        child.stdin.end();
        await closed;
      },
      async kill() {
        child.kill('SIGKILL');
        await closed;
      },
    };
  };

  const admin = new Client(dsn);
  await admin.connect();
  const tails = readers.map(start);
  let writers = ['single', 'single', 'batch'].map(start);
  const total = (): number => tails.reduce((sum, { read }) => sum + read.length, 0);
  /** Writers wait for the lock of the uncommitted append, or, without a lock, readers have passed it. */
  const stuckOrPassed = async (since: number): Promise<boolean> => {
    const waiting = await admin.query(
      `select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
    );
    return (waiting.rowCount ?? 0) >= 2 || total() > since + FURTHER_READS;
  };
  try {
    await untilReached('reading', FURTHER_READS + 1, total);
    for (let round = 0; round < rounds; round += 1) {
      const holder = start('dying');
      await holder.held;
      const since = total();
      await expect.poll(async () => await stuckOrPassed(since)).toBe(true);
      await (round % 2 === 0 ? holder.kill() : holder.finish());
      const [victim, ...others] = writers;
      await victim!.kill();
      writers = [...others, start(round % 3 === 0 ? 'batch' : 'single')];
      const before = total();
      await untilReached('reading', before + FURTHER_READS + 1, total);
    }
    for (const each of writers) await each.finish();
    for (const each of tails) await each.finish();
    const { rows } = await admin.query<[string, string]>({
      text: 'select position, id from civic.events order by position',
      rowMode: 'array',
    });
    return {
      readers: tails.map(({ read }) => read),
      stored: rows.map(([position, id]) => ({ position: Number(position), id })),
      acknowledged,
      complaints,
    };
  } finally {
    for (const { child } of [...writers, ...tails]) child.kill('SIGKILL');
    await admin.end();
  }
}
