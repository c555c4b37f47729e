import { existsSync, readFileSync } from 'node:fs';
import { type Descriptors, descriptorsOf } from './descriptors.ts';
import type { HeapUsage } from './kept-by-heap.ts';
import type { World } from './world.ts';

export interface Sample extends Descriptors {
  /** Seconds since the process came up. */
  readonly age: number;
  readonly residentMb: number;
  /** 99th percentile of the event loop's lag since the last sample, in milliseconds; null if it is unknown. */
  readonly lagMs: number | null;
}

/** One run of one process. */
export interface Life {
  readonly member: string;
  readonly samples: readonly Sample[];
  /** Its memory after each full collection. */
  readonly kept: readonly Pick<HeapUsage, 'age' | 'keptMb'>[];
}

const EVERY_MS = 2_000;
const ASK_MS = 1_500;
/** The warm-up: compiled code, pools and the window of newest events are loaded after it. */
const WARM_UP_SECONDS = 90;
const SHORTEST_SECONDS = 90;
/** The heap grows for garbage; it has its full size only after several collections. */
const SHORTEST_FOR_ROOM_SECONDS = 300;
const FEWEST_COLLECTIONS = 4;
/** The maximum of each process. */
export const MAX_RESIDENT_MB = 600;
export const MAX_GROWTH_MB_A_MINUTE = 6;
export const MAX_DESCRIPTORS_GROWTH = 40;
/** All customers together have fewer. */
export const MAX_CONNECTIONS = 400;

export interface MemoryFinding {
  readonly member: string;
  readonly seconds: number;
  readonly firstMb: number;
  readonly lastMb: number;
  readonly mostMb: number;
  /**
   * Median of the slopes between any two of what was left after full collections (Theil and Sen): what the process keeps more each minute,
   * whatever room its garbage has. Null for lives with few collections after the warm-up.
   */
  readonly keptGrowthMbAMinute: number | null;
  /** The same of resident memory, for lives in which the room of garbage came to its size. */
  readonly growthMbAMinute: number | null;
  /** Descriptors of the process, without its customers' connections. */
  readonly descriptors: readonly [first: number, last: number, most: number];
  readonly mostConnections: number;
  readonly lagMs: readonly [first: number, last: number];
}

interface Growing extends Life {
  readonly since: number;
  readonly samples: Sample[];
}

/** Samples every process of the service from outside while it runs. */
export class Memory {
  readonly #lives = new Map<number, Growing>();
  readonly #files = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  watch(world: World): void {
    for (const { memoryFile } of world.members) this.#files.add(memoryFile);
    this.#timer = setInterval(() => void Promise.all(world.members.map((member) => this.#sample(member))), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #sample({ name, pid, baseUrl, opsUrl }: World['members'][number]): Promise<void> {
    if (pid === null || opsUrl === null) return;
    const life = this.#lives.get(pid) ?? { member: name, since: performance.now(), samples: [], kept: [] };
    this.#lives.set(pid, life);
    const description = await fetch(`${opsUrl}/metrics`, { signal: AbortSignal.timeout(ASK_MS) })
      .then((answer) => answer.text())
      .catch(() => '');
    const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(description)?.[1];
    const ports = [baseUrl, opsUrl].flatMap((url) => (url === null || url === '' ? [] : [Number(new URL(url).port)]));
    try {
      const residentMb = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
      const age = (performance.now() - life.since) / 1000;
      const lagMs = lag === undefined ? null : Number(lag) * 1000;
      life.samples.push({ age, residentMb, lagMs, ...descriptorsOf(pid, new Set(ports)) });
    } catch {
      // It has ended.
    }
  }

  findings(): readonly MemoryFinding[] {
    const keptSamples = [...this.#files].filter(existsSync).flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as HeapUsage),
    );
    return [...this.#lives]
      .filter(([, { samples }]) => samples.length > 1)
      .map(([pid, life]) => findingOf({ ...life, kept: keptSamples.filter((each) => each.pid === pid) }));
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** Megabytes a minute: the median of all slopes, which is not affected by single peaks. */
const slopeOf = (points: readonly (readonly [age: number, mb: number])[]): number =>
  median(
    points.flatMap(([age, mb], at) => points.slice(at + 1).map(([later, then]) => ((then - mb) / (later - age)) * 60)),
  );

export function findingOf({ member, samples, kept }: Life): MemoryFinding {
  const seconds = samples.at(-1)!.age;
  const warm = samples.filter(({ age }) => age >= WARM_UP_SECONDS);
  const settled = seconds - WARM_UP_SECONDS >= SHORTEST_SECONDS ? warm : samples;
  const third = Math.max(1, Math.floor(settled.length / 3));
  const [first, last] = [settled.slice(0, third), settled.slice(-third)];
  const lag = (part: readonly Sample[]): number => median(part.flatMap(({ lagMs }) => (lagMs === null ? [] : [lagMs])));
  const collected = kept.filter(({ age }) => age >= WARM_UP_SECONDS);
  const spans = (collected.at(-1)?.age ?? 0) - (collected[0]?.age ?? 0);
  return {
    member,
    seconds,
    firstMb: median(first.map(({ residentMb }) => residentMb)),
    lastMb: median(last.map(({ residentMb }) => residentMb)),
    mostMb: Math.max(...samples.map(({ residentMb }) => residentMb)),
    keptGrowthMbAMinute:
      collected.length >= FEWEST_COLLECTIONS && spans >= SHORTEST_SECONDS / 2
        ? slopeOf(collected.map(({ age, keptMb }) => [age, keptMb]))
        : null,
    growthMbAMinute:
      seconds - WARM_UP_SECONDS >= SHORTEST_FOR_ROOM_SECONDS
        ? slopeOf(warm.map(({ age, residentMb }) => [age, residentMb]))
        : null,
    descriptors: [
      median(first.map(({ own }) => own)),
      median(last.map(({ own }) => own)),
      Math.max(...samples.map(({ own }) => own)),
    ],
    mostConnections: Math.max(...samples.map(({ taken }) => taken)),
    lagMs: [lag(first), lag(last)],
  };
}

/** The findings that exceed the bounds. */
export const memoryFailures = (findings: readonly MemoryFinding[]): readonly string[] =>
  findings.flatMap(
    ({
      member,
      seconds,
      mostMb,
      growthMbAMinute,
      keptGrowthMbAMinute,
      descriptors: [first, last],
      mostConnections,
      lagMs,
    }) => [
      ...(mostMb > MAX_RESIDENT_MB ? [`${member} took ${Math.round(mostMb)} MB`] : []),
      ...(growthMbAMinute !== null && growthMbAMinute > MAX_GROWTH_MB_A_MINUTE
        ? [`${member} grew by ${growthMbAMinute.toFixed(1)} MB a minute`]
        : []),
      ...(keptGrowthMbAMinute !== null && keptGrowthMbAMinute > MAX_GROWTH_MB_A_MINUTE
        ? [`${member} keeps ${keptGrowthMbAMinute.toFixed(1)} MB a minute more`]
        : []),
      ...(last > first + MAX_DESCRIPTORS_GROWTH ? [`${member} went from ${first} to ${last} descriptors`] : []),
      ...(mostConnections > MAX_CONNECTIONS ? [`${member} held ${mostConnections} connections`] : []),
      ...(seconds - WARM_UP_SECONDS >= SHORTEST_SECONDS && lagMs[1] > 3 * lagMs[0] + 250
        ? [`the event loop of ${member} went from ${lagMs[0]} to ${lagMs[1]} ms of lag`]
        : []),
    ],
  );
