import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';

const PAGE = 1000;

export interface LegistarHttpOptions extends JsonReaderOptions {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly client: string;
}

export const LEGISTAR_BASE_URL = 'https://webapi.legistar.com/v1';
const UNKNOWN_CLIENT = /LegistarConnectionString setting is not set up/i;

/** Reads all pages, with retries: a part is never returned as the whole. */
export function legistarHttpReader({ baseUrl, client, ...options }: LegistarHttpOptions): LegistarReader {
  const root = `${baseUrl.replace(/\/+$/, '')}/${encodeURIComponent(client)}`;
  const unknownClient = (text: string) =>
    UNKNOWN_CLIENT.test(text)
      ? new UnknownSourceClient(`the source does not know the client "${client}"; check the name with the source`)
      : null;
  const read = jsonReader(options, unknownClient);
  const get = (path: string, parameters: Readonly<Record<string, string>>) => read(`${root}/${path}`, parameters);

  const list = async (path: string, order: string, parameters: Readonly<Record<string, string>> = {}): Promise<readonly unknown[]> => {
    const rows: unknown[] = [];
    for (;;) {
      const page = await get(path, { ...parameters, $orderby: order, $top: String(PAGE), $skip: String(rows.length) });
      if (!Array.isArray(page)) throw new SourceUnavailable(`the source has no list at ${path}`);
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  };

  return {
    platform: { sourceType: 'legistar', label: 'Legistar' },
    bodies: () => list('bodies', 'BodyId'),
    events: (from) => list('events', 'EventId', from === null ? {} : { $filter: `EventDate ge datetime'${from}'` }),
    event: async (eventId) => {
      const row = await get(`events/${eventId}`, {});
      return row === NOT_FOUND ? null : row;
    },
    eventItems: (eventId) => list(`events/${eventId}/eventitems`, 'EventItemId', { AgendaNote: '1', MinutesNote: '1', Attachments: '1' }),
  };
}
