import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { atMost, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { growthExponent, median } from '../rig/measure.ts';
import { cpuSeconds, postgresqlProcesses, residentMb } from '../rig/processes.ts';
import { serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const [REST_LOOKS, LOOK_MS, IDLE_SECONDS, MAX_LOOKS] = [3, 1000, 0.05, 300];

/** Waits until a process is idle for some seconds: after its first start on records it classifies them for a while. */
async function atRest(pid: number): Promise<void> {
  for (let looks = 0, idle = 0; idle < REST_LOOKS; looks += 1) {
    if (looks === MAX_LOOKS) throw new Error('the service does not come to rest');
    const before = cpuSeconds(pid);
    await after(LOOK_MS);
    idle = cpuSeconds(pid) - before <= IDLE_SECONDS ? idle + 1 : 0;
  }
}

const supervisorOf = (dataDir: string): number | undefined =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.some((word) => word.endsWith('supervisor.sh')) && words.some((word) => word.startsWith(dataDir));
      } catch {
        return false;
      }
    });

/** Megabytes of the server's processes; of shared memory each counts its share. */
function postgresqlMb(dataDir: string): number {
  const shares = postgresqlProcesses(dataDir).map((pid) =>
    Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0),
  );
  return Math.round(shares.reduce((sum, share) => sum + share, 0) / 102.4) / 10;
}

interface Started {
  readonly ms: number;
  readonly nodeMb: number;
  readonly supervisorMb: number | null;
  readonly postgresqlMb: number;
}

/**
 * Time from spawning a process to the first 200 of an authenticated page, with no process running before; and its
 * memory at rest, if requested.
 */
const start = (dataDir: string, key: string, rests: boolean): Promise<Started> =>
  scoped(async (use) => {
    const started = performance.now();
    const service = use(await serve(dataDir));
    for (;;) {
      const response = await fetch(`${service.url}/api/v1/data/changes?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      }).catch(() => null);
      await response?.arrayBuffer();
      if (response?.status === 200) break;
      await after(5);
    }
    const ms = performance.now() - started;
    if (rests) await atRest(service.pid);
    const supervisor = supervisorOf(dataDir);
    return {
      ms,
      nodeMb: residentMb(service.pid),
      supervisorMb: supervisor === undefined ? null : residentMb(supervisor),
      postgresqlMb: postgresqlMb(dataDir),
    };
  });

async function run(bench: Bench): Promise<readonly Row[]> {
  const points = [];
  let last: readonly Started[] = [];
  for (const size of bench.sizes) {
    const { dataDir, key } = await bench.datasets.of(size);
    // The first one on records classifies them, and keeps what that took until it ends.
    await start(dataDir, key, true);
    const starts = [];
    for (let round = 0; round < bench.rounds; round++) starts.push(await start(dataDir, key, round === 0));
    points.push({ size, cost: median(starts.map(({ ms }) => ms)) });
    last = starts;
  }
  const { nodeMb, supervisorMb, postgresqlMb: serverMb } = last[0]!;
  const records = count(bench.sizes[2]);
  return [
    {
      load: `start to the first 200, ${records} records`,
      ours: `${Math.round(points[2]!.cost)} ms`,
      yardstick: '',
      ...atMost(points[2]!.cost, 2000, ' ms'),
      exponent: growthExponent(points),
      details: { points, times: last.map(({ ms }) => Math.round(ms)) },
    },
    {
      load: 'resident memory of the service at rest',
      ours: `${nodeMb} MB`,
      yardstick: `supervisor ${supervisorMb ?? '?'} MB`,
      ...atMost(nodeMb, 170, ' MB'),
    },
    {
      load: 'memory of the embedded PostgreSQL at rest',
      ours: `${serverMb} MB`,
      yardstick: '',
      figure: serverMb,
      reach: '-',
      reached: null,
    },
  ];
}

export const startAndMemory: Load = {
  name: 'start',
  title: 'start to the first 200 on an existing data directory, and memory at rest',
  run,
};
