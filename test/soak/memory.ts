import { readdirSync, readFileSync } from 'node:fs';
import type { World } from './world.ts';

interface Sample {
  /** Seconds since the process came up. */
  readonly age: number;
  readonly residentMb: number;
  /** Of the heap's old generation, which falls to what is really kept at each full collection; null where it could not be asked. */
  readonly oldMb: number | null;
  readonly descriptors: number;
  /** 99th percentile of the event loop's lag since the sample before, in milliseconds; null where it could not be asked. */
  readonly lagMs: number | null;
}

/** One life of one process. */
interface Life {
  readonly member: string;
  readonly since: number;
  readonly samples: Sample[];
}

const EVERY_MS = 2_000;
const ASK_MS = 1_500;
/** What a process loads and keeps on purpose (compiled code, pools, the window of newest events) is there by then. */
const WARM_UP_SECONDS = 90;
const SHORTEST_SECONDS = 90;
/** Each third is long enough for a full collection. */
const SHORTEST_FOR_HEAP_SECONDS = 180;
/** No process may be larger at any time. */
export const MOST_RESIDENT_MB = 700;
export const MOST_GROWTH_MB_A_MINUTE = 6;
export const MOST_DESCRIPTORS_GROWTH = 40;

export interface MemoryFinding {
  readonly member: string;
  readonly seconds: number;
  readonly firstMb: number;
  readonly lastMb: number;
  readonly mostMb: number;
  /**
   * How fast the least that the old generation came down to rises from the first third of the time after the warm-up to the last one: what is
   * resident also holds garbage that nobody was in a hurry to collect, and swings by a hundred megabytes. Null for short lives.
   */
  readonly heapGrowthMbAMinute: number | null;
  /** Median of the slopes of resident memory between any two samples after the warm-up (Theil and Sen), which single peaks do not move; null for short lives. */
  readonly growthMbAMinute: number | null;
  readonly descriptors: readonly [first: number, last: number, most: number];
  readonly lagMs: readonly [first: number, last: number];
}

/** Samples every process of the service from outside while it lives. */
export class Memory {
  readonly #lives = new Map<number, Life>();
  #timer: NodeJS.Timeout | undefined;

  watch(world: World): void {
    this.#timer = setInterval(() => void Promise.all(world.members.map((member) => this.#sample(member))), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #sample({ name, pid, opsUrl }: World['members'][number]): Promise<void> {
    if (pid === null || opsUrl === null) return;
    const life = this.#lives.get(pid) ?? { member: name, since: performance.now(), samples: [] };
    this.#lives.set(pid, life);
    const told = await fetch(`${opsUrl}/metrics`, { signal: AbortSignal.timeout(ASK_MS) })
      .then((answer) => answer.text())
      .catch(() => '');
    const figure = (line: RegExp, unit: number): number | null => {
      const value = line.exec(told)?.[1];
      return value === undefined ? null : Number(value) * unit;
    };
    const lagMs = figure(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m, 1000);
    const oldMb = figure(/^nodejs_heap_space_size_used_bytes\{space="old"\} (\S+)$/m, 1 / 2 ** 20);
    try {
      const residentMb = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      life.samples.push({ age: (performance.now() - life.since) / 1000, residentMb, oldMb, descriptors, lagMs });
    } catch {
      // It has just ended.
    }
  }

  findings(): readonly MemoryFinding[] {
    return [...this.#lives.values()].filter(({ samples }) => samples.length > 1).map(findingOf);
  }
}

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const third = (items: readonly Sample[]): number => Math.max(1, Math.floor(items.length / 3));

/** Megabytes a minute from the lowest point of one part of a life to that of another; null where a part was never told. */
const growthOf = (first: readonly Sample[], last: readonly Sample[]): number | null => {
  const least = (part: readonly Sample[]): Sample | undefined =>
    part.filter(({ oldMb }) => oldMb !== null).toSorted((one, other) => one.oldMb! - other.oldMb!)[0];
  const [from, to] = [least(first), least(last)];
  return from === undefined || to === undefined ? null : ((to.oldMb! - from.oldMb!) / (to.age - from.age)) * 60;
};

const findingOf = ({ member, samples }: Life): MemoryFinding => {
  const seconds = samples.at(-1)!.age;
  const warm = samples.filter(({ age }) => age >= WARM_UP_SECONDS);
  const long = seconds - WARM_UP_SECONDS >= SHORTEST_SECONDS;
  const slopes = warm.flatMap((one, at) =>
    warm.slice(at + 1).map((other) => ((other.residentMb - one.residentMb) / (other.age - one.age)) * 60),
  );
  const settled = long ? warm : samples;
  const [first, last] = [settled.slice(0, third(settled)), settled.slice(-third(settled))];
  const lag = (part: readonly Sample[]): number => median(part.flatMap(({ lagMs }) => (lagMs === null ? [] : [lagMs])));
  return {
    member,
    seconds,
    firstMb: median(first.map(({ residentMb }) => residentMb)),
    lastMb: median(last.map(({ residentMb }) => residentMb)),
    mostMb: Math.max(...samples.map(({ residentMb }) => residentMb)),
    growthMbAMinute: long ? median(slopes) : null,
    heapGrowthMbAMinute: seconds - WARM_UP_SECONDS >= SHORTEST_FOR_HEAP_SECONDS ? growthOf(first, last) : null,
    descriptors: [
      median(first.map(({ descriptors }) => descriptors)),
      median(last.map(({ descriptors }) => descriptors)),
      Math.max(...samples.map(({ descriptors }) => descriptors)),
    ],
    lagMs: [lag(first), lag(last)],
  };
};

/** What of the findings is beyond the bounds. */
export const memoryFailures = (findings: readonly MemoryFinding[]): readonly string[] =>
  findings.flatMap(({ member, mostMb, growthMbAMinute, heapGrowthMbAMinute, descriptors: [first, last], lagMs }) => [
    ...(mostMb > MOST_RESIDENT_MB ? [`${member} took ${Math.round(mostMb)} MB`] : []),
    ...(growthMbAMinute !== null && growthMbAMinute > MOST_GROWTH_MB_A_MINUTE
      ? [`${member} grew by ${growthMbAMinute.toFixed(1)} MB a minute`]
      : []),
    ...(heapGrowthMbAMinute !== null && heapGrowthMbAMinute > MOST_GROWTH_MB_A_MINUTE
      ? [`the heap of ${member} keeps ${heapGrowthMbAMinute.toFixed(1)} MB a minute more`]
      : []),
    ...(last > first + MOST_DESCRIPTORS_GROWTH ? [`${member} went from ${first} to ${last} descriptors`] : []),
    ...(growthMbAMinute !== null && lagMs[1] > 3 * lagMs[0] + 250
      ? [`the event loop of ${member} went from ${lagMs[0]} to ${lagMs[1]} ms of lag`]
      : []),
  ]);
