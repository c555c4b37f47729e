import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Touched } from '../disturbances.ts';
import type { Member } from '../member.ts';
import type { World } from '../world.ts';

/** One fault; the seed determines it before it begins. */
export interface Fault {
  /** Its target and kind, in few words. */
  readonly description: string;
  readonly touched: readonly Touched[];
  /** Applies and reverts it; ended processes are up again when it resolves. */
  run(): Promise<void>;
}

export interface FaultParts {
  readonly world: World;
  readonly random: SeededRandom;
  /** The duration of a fault without a natural end, in milliseconds. */
  readonly hold: (from: number, below: number) => number;
  /** A process of the role that may be ended: an API process whose memory is not measured, or the projector that folds most. */
  readonly victim: (role: Member['role']) => Promise<Member>;
}

export type MakeFault = (parts: FaultParts) => Promise<Fault>;

/** The parts that the end or the silence of a process affects. */
export const processOf = ({ name, role }: Member): readonly Touched[] => [
  `process ${name}`,
  ...(role === 'api' ? [] : (['folding'] as const)),
];
export const linkOf = ({ name, role }: Member): readonly Touched[] => [
  `link ${name}`,
  ...(role === 'api' ? [] : (['folding'] as const)),
];

/** Start (inclusive) and end (exclusive). */
export const between = (random: SeededRandom, from: number, below: number): number => from + random.below(below - from);
