import {
  type CivicWebClient,
  RecordGone,
  SourceUnavailable,
  UnknownSourceClient,
} from '../../domain/ports/source-ports.ts';
import { GONE, type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';
import { requireRowsWithin } from '../system/read-budget.ts';

/** Upper limit of documents per meeting, far above any real number. */
const MAX_DOCUMENTS = 1_000;

/** Creates a client for the lists of a CivicWeb portal. `baseUrl` is the address of the portal. */
export function civicWebHttpClient(baseUrl: string, options: JsonReaderOptions): CivicWebClient {
  const read = jsonReader(options, () => null);
  const list = async (
    path: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<readonly unknown[] | typeof NOT_FOUND | typeof GONE> => {
    const rows = await read(`${baseUrl}/Services/MeetingsService.svc/${path}`, parameters);
    if (rows === NOT_FOUND || rows === GONE) return rows;
    if (!Array.isArray(rows)) throw new SourceUnavailable(`the source has no list at ${path}`);
    return rows;
  };
  return {
    meetings: async (from, to) => {
      const rows = await list('meetings', { from, to });
      if (typeof rows !== 'symbol') return requireRowsWithin(rows, 'the list of meetings');
      throw new UnknownSourceClient(`${baseUrl} has no list of meetings; check the name of the portal`);
    },
    documents: async (meetingId) => {
      const rows = await list(`meetings/${meetingId}/meetingDocuments`, {});
      if (rows === GONE) throw new RecordGone(`the source no longer has documents of the meeting ${meetingId}`);
      if (rows === NOT_FOUND)
        throw new SourceUnavailable(`the source has no list of documents of the meeting ${meetingId}`);
      return requireRowsWithin(rows, `the list of documents of the meeting ${meetingId}`, MAX_DOCUMENTS);
    },
  };
}
