import { setTimeout as after } from 'node:timers/promises';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Member } from '../member.ts';
import type { Readiness } from '../readiness.ts';
import type { World } from '../world.ts';
import { FAULTS } from './all-faults.ts';
import { between, type FaultParts } from './fault.ts';

/** Projectors are not ended near the end of a run that measures memory, so that their memory can be measured. */
const LAST_KILLS = 0.6;

export interface Suffered {
  readonly kind: string;
  readonly description: string;
  /** Milliseconds from the end of the fault until everything worked again; null if it did not in time. */
  readonly readyAfterMs: number | null;
}

export interface Conducting {
  readonly world: World;
  readonly random: SeededRandom;
  readonly readiness: Readiness;
  readonly onFault: (suffered: Suffered) => void;
}

/** Runs the faults in the order of the seed, each once before a repeat; everything must work again after each. */
export async function conductFaults({ world, random, readiness, onFault }: Conducting): Promise<void> {
  const { plan, disturbances, failures } = world;
  const started = performance.now();
  const over = (): boolean => failures.tooMany.aborted;
  const parts: FaultParts = {
    world,
    random,
    hold: (from, below) => Math.round(between(random, from, below) * plan.holds),
    victim: (role) => victimOf(world, random, role),
  };
  for (let round = 0; ; round += 1) {
    for (const kind of shuffled(plan.kinds, random)) {
      const elapsed = performance.now() - started;
      if (over() || (elapsed > plan.faultsForMs && round > 0)) return;
      if (plan.measuresMemory && elapsed > plan.faultsForMs * LAST_KILLS && endsProjectors(kind)) continue;
      await after(between(random, ...plan.pauseMs));
      const fault = await FAULTS[kind]!(parts);
      const disturbance = disturbances.begin(kind, fault.touched);
      await fault.run();
      const readyAfterMs = await readiness.wait(plan.readyWithinMs);
      disturbances.end(disturbance);
      if (typeof readyAfterMs === 'string')
        failures.add(`after "${fault.description}" not everything worked again in time: ${readyAfterMs}`);
      onFault({
        kind,
        description: fault.description,
        readyAfterMs: typeof readyAfterMs === 'string' ? null : readyAfterMs,
      });
    }
  }
}

const endsProjectors = (kind: string): boolean =>
  ['projector killed', 'several killed', 'rolling restart', 'clock ahead', 'clock behind'].includes(kind);

const shuffled = <Item>(items: readonly Item[], random: SeededRandom): readonly Item[] =>
  items
    .map((item) => ({ item, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);

/** Never the first API process, whose memory is measured; mostly the projector with the most leases. */
async function victimOf({ members, database }: World, random: SeededRandom, role: Member['role']): Promise<Member> {
  const candidates = members.filter((member) => member.role === role && member.name !== 'api-1');
  const any = candidates[random.below(candidates.length)]!;
  if (role !== 'projector' || random.chance(0.2)) return any;
  const rows = await database
    .query<{ owner: string | null }>("select owner from civic.generations where state = 'live'")
    .catch(() => []);
  const countOwned = (member: Member): number =>
    rows.filter(({ owner }) => owner?.split(':')[1] === String(member.pid)).length;
  return candidates.toSorted((one, other) => countOwned(other) - countOwned(one))[0]!;
}
