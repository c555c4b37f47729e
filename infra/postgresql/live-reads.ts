import { DatabaseUnavailable, type ReadDatabase } from '../../domain/ports/database.ts';
import type { LiveGeneration, LiveReads, Progress } from '../../domain/ports/projection.ts';
import type { Clock } from '../../domain/ports/clock.ts';

const SWITCHED = new Set(['CR001', '42P01']);
const ATTEMPTS = 5;

/** The read model has no live generation yet; readers handle it as an unavailable database. */
export class ReadModelMissing extends DatabaseUnavailable {
  override readonly name = 'ReadModelMissing';
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/**
 * Caches which generation of each read model is live. Repeats a statement that fails because of a switch. Every read throws
 * `DatabaseUnavailable` while `refusal` gives a reason: the read models contain events that the log does not have.
 */
export function createLiveReads(database: ReadDatabase, refusal: () => string | null = () => null) {
  let pointers: ReadonlyMap<string, number> = new Map();
  const reload = async () => {
    const rows = await database.texts({
      name: 'read_live_generations',
      text: 'select name, live_generation from civic.projections where live_generation is not null',
      values: [],
    });
    pointers = new Map(rows.map(([name, generation]) => [name!, Number(generation)]));
  };
  const generation: LiveGeneration = (projection) => {
    const live = pointers.get(projection);
    if (live === undefined) throw new ReadModelMissing(`the read model ${projection} is not there yet`);
    return live;
  };
  const attempt = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const reason = refusal();
    if (reason !== null) throw new DatabaseUnavailable(reason);
    for (let left = ATTEMPTS; ; left--) {
      try {
        return await run();
      } catch (error) {
        const stale = error instanceof ReadModelMissing || [error, (error as Error).cause].some((each) => SWITCHED.has(codeOf(each)));
        if (!stale || left === 0) throw error;
        await reload();
      }
    }
  };
  const readsOf = (from: ReadDatabase): LiveReads => ({
    database: from,
    texts: (build) => attempt(async () => from.texts(build(generation))),
    many: (build) => attempt(async () => from.many(build(generation))),
  });
  return {
    ...readsOf(database),
    /** Reads of the same generations with another function for texts. */
    through: (texts: ReadDatabase['texts']) => readsOf({ ...database, texts }),
  };
}

/** Not by `civic.projections`: its scans are counted as reads (see `createTraffic`). */
const CHECKPOINT = `select checkpoint from civic.generations where projection = $1 and state = 'live'`;
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

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
