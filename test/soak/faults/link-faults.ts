import { setTimeout as after } from 'node:timers/promises';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Link } from '../links.ts';
import type { Touched } from '../disturbances.ts';
import type { World } from '../world.ts';
import { between, type FaultParts, linkOf, type MakeFault } from './fault.ts';

interface Ways {
  readonly description: string;
  readonly touched: readonly Touched[];
  readonly links: readonly Link[];
}

const everybody = ({ members, commandLink }: World): Ways => ({
  description: 'all ways to the database',
  touched: ['database', 'folding'],
  links: [commandLink, ...members.map(({ link }) => link)],
});

/** The connection of one process, or of the writers and commands. */
async function oneOf({ world, random, victim }: FaultParts): Promise<Ways> {
  if (random.chance(0.2))
    return {
      description: 'the way of the commands to the database',
      touched: ['link commands'],
      links: [world.commandLink],
    };
  const member = random.chance(0.4) ? await victim('projector') : world.members[random.below(world.members.length)]!;
  return { description: `the way of ${member.name} to the database`, touched: linkOf(member), links: [member.link] };
}

type Ill = (link: Link, random: SeededRandom) => void;

const disturbed =
  (how: string, who: 'everybody' | 'one', [from, below]: readonly [number, number], ill: Ill): MakeFault =>
  async (parts) => {
    const { description, touched, links } = who === 'everybody' ? everybody(parts.world) : await oneOf(parts);
    const milliseconds = below > 1 ? parts.hold(from, below) : 0;
    return {
      description: `${description} ${how}${below > 1 ? ` for ${milliseconds} ms` : ''}`,
      touched,
      async run() {
        for (const link of links) ill(link, parts.random);
        await after(milliseconds);
        for (const link of links) {
          link.slow(0);
          link.flow();
        }
      },
    };
  };

const NO_TIME = [0, 1] as const;

export const LINK_FAULTS: Readonly<Record<string, MakeFault>> = {
  'connections cut': disturbed('cut', 'everybody', NO_TIME, (link) => link.cut()),
  'link cut': disturbed('cut', 'one', NO_TIME, (link) => link.cut()),
  'database slow': disturbed('slow', 'everybody', [2_000, 5_000], (link, random) => link.slow(between(random, 10, 60))),
  'link slow': disturbed('slow', 'one', [3_000, 8_000], (link, random) => link.slow(between(random, 50, 400))),
  'database silent': disturbed('silent', 'everybody', [1_000, 7_000], (link) => link.stall()),
  'link silent': disturbed('silent', 'one', [5_500, 9_000], (link) => link.stall()),
  'server lost unseen': disturbed('ended at the server alone', 'one', [3_000, 8_000], (link) => link.halfOpen('far')),
  'client lost unseen': disturbed('ended at the client alone', 'one', [3_000, 8_000], (link) => link.halfOpen('near')),
};
