import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { type Descriptors, descriptorsOf } from '../soak/descriptors.ts';
import type { HeapUsage } from '../soak/kept-by-heap.ts';

const SAMPLE_MS = 50;
/** The time that a busy machine may take to close, collect or end something. */
const PATIENCE_MS = 60_000;
/** Connections to the database come and go. */
const MORE_DESCRIPTORS = 25;
export const MAX_KEPT_GROWTH_MB = 48;

export interface Watched {
  readonly pid: number | null;
  readonly baseUrl: string;
  readonly opsUrl: string;
  readonly memoryFile: string;
}

/** The resources of a process before an attack. */
export interface Baseline extends Descriptors {
  readonly pid: number;
  readonly keptMb: number;
}

/** Resident memory of a process in megabytes; throws when it has ended. */
export function residentMbOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** A zombie has ended, although its parent has not waited for it. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Samples the resident memory of a process until it is stopped; gives the largest. */
export function watchResident(pid: number): { readonly largestMb: () => number; stop(): number } {
  let largest = 0;
  const look = (): void => {
    try {
      largest = Math.max(largest, residentMbOf(pid));
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, SAMPLE_MS);
  const stop = (): number => {
    clearInterval(timer);
    look();
    return largest;
  };
  return { largestMb: () => largest, stop };
}

const portsOf = ({ baseUrl, opsUrl }: Watched): ReadonlySet<number> =>
  new Set([baseUrl, opsUrl].map((url) => Number(new URL(url).port)));

/** Throws if the process has ended or does not report its memory. */
export async function baselineOf(watched: Watched): Promise<Baseline> {
  const pid = watched.pid!;
  const keptMb = await keptMbOf(pid, watched.memoryFile);
  if (keptMb === null) throw new Error('the process does not tell what it keeps');
  return { pid, keptMb, ...descriptorsOf(pid, portsOf(watched)) };
}

/** The additional resources of the process after a wait for their release; empty if it has ended. */
export async function changesSince(
  { pid, own, taken, keptMb }: Baseline,
  watched: Watched,
): Promise<readonly string[]> {
  try {
    const descriptors = await settledDescriptors(pid, portsOf(watched), { own: own + MORE_DESCRIPTORS, taken });
    const memoryMb = await keptMbOf(pid, watched.memoryFile);
    return [
      ...(descriptors.own > own + MORE_DESCRIPTORS ? [`descriptors went from ${own} to ${descriptors.own}`] : []),
      ...(descriptors.taken > taken ? [`${descriptors.taken - taken} connections are still open`] : []),
      ...(memoryMb === null ? ['the process does not tell what it keeps'] : []),
      ...(memoryMb !== null && memoryMb > keptMb + MAX_KEPT_GROWTH_MB
        ? [`it kept ${Math.round(keptMb)} MB and keeps ${Math.round(memoryMb)} MB`]
        : []),
    ];
  } catch (error) {
    if (isAlive(pid)) throw error;
    return [];
  }
}

/** Waits until the number of descriptors is within the limit; returns the last number. Throws when the process has ended. */
export async function settledDescriptors(
  pid: number,
  ports: ReadonlySet<number>,
  allowed: Descriptors,
): Promise<Descriptors> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const descriptors = descriptorsOf(pid, ports);
    if ((descriptors.own <= allowed.own && descriptors.taken <= allowed.taken) || performance.now() > deadline)
      return descriptors;
    await after(SAMPLE_MS);
  }
}

const toldBy = (file: string, pid: number): readonly HeapUsage[] =>
  (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HeapUsage)
    .filter((sample) => sample.pid === pid);

/** Makes a process with `kept-by-heap.ts` collect its heap; returns the megabytes left, or null without an answer. */
async function keptMbOf(pid: number, memoryFile: string): Promise<number | null> {
  const before = toldBy(memoryFile, pid).length;
  process.kill(pid, 'SIGWINCH');
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const lines = toldBy(memoryFile, pid);
    if (lines.length > before) return lines.at(-1)!.keptMb;
    await after(SAMPLE_MS);
  }
  return null;
}

/** Waits until the process has closed every connection of customers. */
export async function untilConnectionsGone(watched: Watched): Promise<void> {
  const { taken } = await settledDescriptors(watched.pid!, portsOf(watched), {
    own: Number.POSITIVE_INFINITY,
    taken: 0,
  });
  if (taken > 0) throw new Error(`${taken} connections are still open`);
}
