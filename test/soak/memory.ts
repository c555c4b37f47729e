import { readdirSync, readFileSync } from 'node:fs';
import type { World } from './world.ts';

interface Sample {
  /** Seconds since the process came up. */
  readonly age: number;
  readonly residentMb: number;
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
  /** Median of the slopes between any two samples after the warm-up (Theil and Sen), which single peaks do not move; null for short lives. */
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
    const lagMs = await fetch(`${opsUrl}/metrics`, { signal: AbortSignal.timeout(ASK_MS) })
      .then((answer) => answer.text())
      .then((text) => Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]) * 1000)
      .catch(() => null);
    try {
      const residentMb = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      life.samples.push({ age: (performance.now() - life.since) / 1000, residentMb, descriptors, lagMs });
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
  findings.flatMap(({ member, mostMb, growthMbAMinute, descriptors: [first, last], lagMs }) => [
    ...(mostMb > MOST_RESIDENT_MB ? [`${member} took ${Math.round(mostMb)} MB`] : []),
    ...(growthMbAMinute !== null && growthMbAMinute > MOST_GROWTH_MB_A_MINUTE
      ? [`${member} grew by ${growthMbAMinute.toFixed(1)} MB a minute`]
      : []),
    ...(last > first + MOST_DESCRIPTORS_GROWTH ? [`${member} went from ${first} to ${last} descriptors`] : []),
    ...(growthMbAMinute !== null && lagMs[1] > 3 * lagMs[0] + 250
      ? [`the event loop of ${member} went from ${lagMs[0]} to ${lagMs[1]} ms of lag`]
      : []),
  ]);
