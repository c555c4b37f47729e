import { SourceUnavailable, type TechShareClient, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';

/** The public portal of TechShare Agenda Management. `portal` is its address, `committeeId` the committee whose portal it is. */
export function techShareHttpClient(portal: string, committeeId: string, options: JsonReaderOptions): TechShareClient {
  const read = jsonReader(options, () => null);
  const list = async (name: string): Promise<readonly unknown[]> => {
    const answer = await read(`${portal}/api/meetings/${name}`, {}, { committeeId });
    if (answer === NOT_FOUND) throw new UnknownSourceClient(`${portal} has no list of meetings; check the name of the portal`);
    const { data } = (answer ?? {}) as { readonly data?: unknown };
    if (!Array.isArray(data)) throw new SourceUnavailable(`the source has no list at ${name}`);
    return data;
  };
  return { meetings: async () => [...(await list('readArchived')), ...(await list('readCurrentAndUpcoming'))] };
}
