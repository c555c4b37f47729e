import { type CivicWebClient, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';

/** The list service of a CivicWeb portal. `baseUrl` is the address of the portal. */
export function civicWebHttpClient(baseUrl: string, options: JsonReaderOptions): CivicWebClient {
  const read = jsonReader(options, () => null);
  const list = async (path: string, parameters: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    const rows = await read(`${baseUrl}/Services/MeetingsService.svc/${path}`, parameters);
    if (rows === NOT_FOUND) throw new UnknownSourceClient(`${baseUrl} has no list of meetings; check the name of the portal`);
    if (!Array.isArray(rows)) throw new SourceUnavailable(`the source has no list at ${path}`);
    return rows;
  };
  return {
    meetings: (from, to) => list('meetings', { from, to }),
    documents: (meetingId) => list(`meetings/${meetingId}/meetingDocuments`, {}),
  };
}
