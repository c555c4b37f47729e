import type { Clock } from '../../domain/ports/clock.ts';
import type { ReadDatabase } from '../../domain/ports/database.ts';
import type { Progress } from '../../domain/ports/projection.ts';

const CHECKPOINT = `select g.checkpoint from civic.projections p join civic.generations g on g.generation = p.live_generation where p.name = $1`;
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

/** Polls the checkpoint of the live generation until it has passed a position. */
export const createProgress = (database: ReadDatabase, clock: Clock): Progress => ({
  async reached(projection, position, deadline) {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
      const [row] = await database.texts({ name: 'read_checkpoint', text: CHECKPOINT, values: [projection] });
      if (row !== undefined && row[0]! >= position) return true;
      if (clock.now() >= deadline) return false;
      await clock.sleep(pause);
    }
  },
});
