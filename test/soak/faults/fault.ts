import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Touched } from '../disturbances.ts';
import type { Member } from '../member.ts';
import type { World } from '../world.ts';

/** One thing that goes wrong, chosen and measured by the seed before it begins. */
export interface Fault {
  /** What it is done to, and how, in few words. */
  readonly description: string;
  readonly touched: readonly Touched[];
  /** Does it and undoes it: processes that it ended are up again when it resolves. */
  run(): Promise<void>;
}

export interface FaultParts {
  readonly world: World;
  readonly random: SeededRandom;
  /** Milliseconds for which something that may last as long as it likes goes on. */
  readonly hold: (from: number, below: number) => number;
  /** A process of that role that may be ended: an API process that is not the one whose memory is watched, the projector that folds most. */
  readonly victim: (role: Member['role']) => Promise<Member>;
}

export type MakeFault = (parts: FaultParts) => Promise<Fault>;

/** What is touched by the end or the silence of a process. */
export const processOf = ({ name, role }: Member): readonly Touched[] => [
  `process ${name}`,
  ...(role === 'api' ? [] : (['folding'] as const)),
];
export const linkOf = ({ name, role }: Member): readonly Touched[] => [`link ${name}`, ...(role === 'api' ? [] : (['folding'] as const))];

/** From, below. */
export const between = (random: SeededRandom, from: number, below: number): number => from + random.below(below - from);
