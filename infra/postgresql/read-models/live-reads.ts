import { DatabaseUnavailable, type ReadDatabase, type Statement } from '../../../domain/ports/database.ts';
import type { LiveGeneration, LiveReads, Progress } from '../../../domain/ports/projection.ts';
import type { Clock } from '../../../domain/ports/clock.ts';

const SWITCHED = new Set(['CR001', '42P01']);
const ATTEMPTS = 5;

/** The read model has no live generation yet. Readers treat this like an unavailable database. */
export class ReadModelMissing extends DatabaseUnavailable {
  override readonly name = 'ReadModelMissing';
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

const isFromSwitch = (error: unknown): boolean =>
  error instanceof ReadModelMissing || [error, (error as Error).cause].some((each) => SWITCHED.has(codeOf(each)));

/** Caches which generation of each read model is live. */
function cacheLiveGenerations(database: ReadDatabase) {
  let pointers: ReadonlyMap<string, number> = new Map();
  const generation: LiveGeneration = (projection) => {
    const live = pointers.get(projection);
    if (live === undefined) throw new ReadModelMissing(`the read model ${projection} is not there yet`);
    return live;
  };
  const reload = async (): Promise<void> => {
    const rows = await database.rows<{ name: string; generation: number }>({
      name: 'read_live_generations',
      text: 'select name, live_generation as generation from civic.projections where live_generation is not null',
      values: [],
    });
    pointers = new Map(rows.map(({ name, generation }) => [name, generation]));
  };
  return { generation, reload };
}

/**
 * Reads from the live generations, and retries a statement that fails because of a switch. Every read throws
 * `DatabaseUnavailable` while `refusal` returns a reason: the read models contain events that the log does not have.
 */
export function createLiveReads(database: ReadDatabase, refusal: () => string | null = () => null) {
  const { generation, reload } = cacheLiveGenerations(database);
  const attempt = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const reason = refusal();
    if (reason !== null) throw new DatabaseUnavailable(reason);
    for (let retries = ATTEMPTS; ; retries--) {
      try {
        return await run();
      } catch (error) {
        if (!isFromSwitch(error) || retries === 0) throw error;
        await reload();
      }
    }
  };
  const readsOf = (from: ReadDatabase): LiveReads => ({
    database: from,
    rows: <Row>(build: (live: LiveGeneration) => Statement) => attempt(async () => from.rows<Row>(build(generation))),
    many: (build) => attempt(async () => from.many(build(generation))),
  });
  return {
    ...readsOf(database),
    /** Returns reads of the same generations that run hot reads by another function. */
    through: (rows: ReadDatabase['rows']) => readsOf({ ...database, rows }),
  };
}

const CHECKPOINT = `select checkpoint from civic.generations where projection = $1 and state = 'live'`;
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

export const createProgress = (database: ReadDatabase, clock: Clock): Progress => ({
  async waitFor(projection, position, deadline) {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
      const statement = { name: 'read_checkpoint', text: CHECKPOINT, values: [projection] };
      const [live] = await database.rows<{ checkpoint: string }>(statement);
      if (live !== undefined && live.checkpoint >= position) return true;
      if (clock.now() >= deadline) return false;
      await clock.sleep(pause);
    }
  },
});
