import { generationTable, type LiveReads, requireLive } from '../domain/ports/projection.ts';

/**
 * Resolves once a read model has answered a read. A write whose result is read there asks before it stores anything, so that a read model
 * that cannot be read refuses the write. Throws what the database throws.
 */
export async function readModelAnswers(reads: LiveReads, projection: string): Promise<void> {
  await reads.texts((live) => {
    const generation = live(projection);
    return {
      name: `${projection}_answers_g${generation}`,
      text: `select from ${generationTable(projection, generation)} where ${requireLive(projection, generation)} limit 1`,
      values: [],
    };
  });
}
