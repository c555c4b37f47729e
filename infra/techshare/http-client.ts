import { SourceUnavailable, type TechShareClient, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { GONE, type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';
import { requireRowsWithin } from '../system/read-budget.ts';

/** Creates a client for a portal of TechShare Agenda Management at the address `portal`, which shows one committee. */
export function techShareHttpClient(portal: string, committeeId: string, options: JsonReaderOptions): TechShareClient {
  const read = jsonReader(options, () => null);
  const list = async (name: string): Promise<readonly unknown[]> => {
    const answer = await read(`${portal}/api/meetings/${name}`, {}, { posted: { committeeId } });
    if (answer === NOT_FOUND || answer === GONE)
      throw new UnknownSourceClient(`${portal} has no list of meetings; check the name of the portal`);
    const { data } = (answer ?? {}) as { readonly data?: unknown };
    if (!Array.isArray(data)) throw new SourceUnavailable(`the source has no list at ${name}`);
    return requireRowsWithin(data, `the list at ${name}`);
  };
  return { meetings: async () => [...(await list('readArchived')), ...(await list('readCurrentAndUpcoming'))] };
}
