import { setTimeout as after } from 'node:timers/promises';
import type { SoakDatabase } from '../database.ts';
import type { Fault, MakeFault } from './fault.ts';
import { endWithWitness } from './witness.ts';

const BACK_MS = 60_000;

const ended =
  (description: string, end: (database: SoakDatabase) => void): MakeFault =>
  async ({ world }): Promise<Fault> => ({
    description,
    touched: ['database', 'folding'],
    async run() {
      const { database } = world;
      await endWithWitness(
        world,
        `${world.disturbances.all.length}`,
        () => end(database),
        async () => {
          // The old server may still answer for a moment.
          await after(100);
          await database.answers(BACK_MS);
        },
      );
    },
  });

export const DATABASE_FAULTS: Readonly<Record<string, MakeFault>> = {
  'PostgreSQL restarted': ended('fast shutdown of PostgreSQL', (database) => database.signalServer('SIGINT')),
  'PostgreSQL stopped at once': ended('immediate shutdown of PostgreSQL', (database) =>
    database.signalServer('SIGQUIT'),
  ),
  'PostgreSQL killed': ended('kill -9 of the PostgreSQL server', (database) => database.signalServer('SIGKILL')),
  'supervisor killed': ended('kill -9 of the supervisor of PostgreSQL', (database) => database.killSupervisor()),
};
