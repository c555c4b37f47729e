import {
  type AgendaReader,
  MAX_EVENT_ITEMS,
  RecordGone,
  SourceUnavailable,
  UnknownSourceClient,
} from '../../domain/ports/source-ports.ts';
import { legistarPlatform } from './platform.ts';
import { GONE, type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';
import { readPages, requireRowsWithin } from '../system/read-budget.ts';

const PAGE = 1000;
/** Page limits of sources are multiples of this number. */
const ROUND = 50;
/** No client has nearly as many bodies. */
const MAX_BODIES = 5_000;
const MAX_VOTES = 1_000;

export interface LegistarHttpOptions extends JsonReaderOptions {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly client: string;
  /** Secret that some clients require. */
  readonly token?: string | undefined;
}

export const LEGISTAR_BASE_URL = 'https://webapi.legistar.com/v1';
/** Setting that messages name when a token is missing or wrong. */
const TOKEN_SETTING = 'CIVIC_SOURCE_TOKENS';
const UNKNOWN_CLIENT = /LegistarConnectionString setting is not set up/i;

/** Part of the error that the source returns with status 500 for a roll call without votes. */
const NO_VOTES = /System\.Int32'? failed because the materialized value is null/i;

class NoVotes extends Error {
  override readonly name = 'NoVotes';
}

interface List {
  /** Reads a page of the list. */
  readonly read: ReturnType<typeof jsonReader>;
  readonly path: string;
  readonly idField: string;
  readonly maxRows?: number;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Returns the errors for responses of a client that is unknown, or whose token is missing or wrong. */
function createRefusals({ client, token }: Pick<LegistarHttpOptions, 'client' | 'token'>) {
  const setting = `${TOKEN_SETTING} (legistar:${client}=TOKEN)`;
  const refuseUnknown = (text: string) =>
    UNKNOWN_CLIENT.test(text)
      ? new UnknownSourceClient(`the source does not know the client "${client}"; check the name with the source`)
      : null;
  return {
    refuseUnknown,
    /** Only for lists of the whole client: some clients refuse the items of single events. */
    refuseClient: (text: string, status: number): Error | null => {
      if (status !== 401 && status !== 403) return refuseUnknown(text);
      const reason =
        token === undefined
          ? `this client needs a token: set it in ${setting}`
          : `the token was refused: check it in ${setting}`;
      return new SourceUnavailable(`${reason}; the source answered with status ${status}`);
    },
    refuseVotes: (text: string) => refuseUnknown(text) ?? (NO_VOTES.test(text) ? new NoVotes() : null),
    noList: (path: string, rows: unknown): SourceUnavailable => {
      const reason = `the source has no list at ${path}`;
      if (rows === NOT_FOUND || rows === GONE) return new SourceUnavailable(reason);
      const hint =
        token === undefined ? `if this client needs a token, set it in ${setting}` : `check the token in ${setting}`;
      return new SourceUnavailable(`${reason}: it answered with something else; ${hint}`);
    },
  };
}

/** Creates a reader that reads all pages of each list, with retries. It never returns a partial list. */
export function legistarHttpReader({ baseUrl, client, token, ...readerOptions }: LegistarHttpOptions): AgendaReader {
  const options = { ...readerOptions, secret: token === undefined ? undefined : { name: 'token', value: token } };
  const root = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(client)}`;
  const { refuseUnknown, refuseClient, refuseVotes, noList } = createRefusals({ client, token });
  const readOfClient = jsonReader(options, refuseClient);
  const readOfEvent = jsonReader(options, refuseUnknown);
  const readVotes = jsonReader(options, refuseVotes);

  const votes = async (eventItemId: number): Promise<readonly unknown[]> => {
    const path = `eventitems/${eventItemId}/votes`;
    const rows = await readVotes(`${root}/${path}`, {}).catch((error: unknown) => {
      if (error instanceof NoVotes) return [];
      throw error;
    });
    if (rows === NOT_FOUND || rows === GONE) return [];
    if (!Array.isArray(rows)) throw new SourceUnavailable(`the source has no list at ${path}`);
    return requireRowsWithin(rows, `the list at ${path}`, MAX_VOTES);
  };

  const readList = ({ read, path, idField, maxRows, parameters = {} }: List): Promise<readonly unknown[]> =>
    readPages(
      { list: `the list at ${path}`, clock: options.clock, idField, ...(maxRows !== undefined && { maxRows }) },
      { skip: 0, size: PAGE },
      async ({ skip, size }, budget) => {
        const paging = { $orderby: idField, $top: String(PAGE), $skip: String(skip) };
        const rows = await read(`${root}/${path}`, { ...parameters, ...paging }, { budget });
        if (rows === GONE) throw new RecordGone(`the source no longer has a list at ${path}`);
        if (!Array.isArray(rows)) throw noList(path, rows);
        // The first page shows how many rows the source allows per page.
        const fullSize =
          skip === 0 && rows.length > 0 && rows.length % ROUND === 0 ? Math.min(PAGE, rows.length) : size;
        const next = rows.length < fullSize ? null : { skip: skip + rows.length, size: fullSize };
        return { rows, next, isProbe: skip > 0 && size < PAGE };
      },
    );

  return {
    platform: legistarPlatform(client),
    bodies: () => readList({ read: readOfClient, path: 'bodies', idField: 'BodyId', maxRows: MAX_BODIES }),
    events: (from) => {
      const parameters: List['parameters'] = from === null ? {} : { $filter: `EventDate ge datetime'${from}'` };
      return readList({ read: readOfClient, path: 'events', idField: 'EventId', parameters });
    },
    event: async (eventId) => {
      const row = await readOfClient(`${root}/events/${eventId}`, {});
      return row === NOT_FOUND || row === GONE ? null : row;
    },
    eventItems: (eventId) => {
      const parameters = { AgendaNote: '1', MinutesNote: '1', Attachments: '1' };
      return readList({
        read: readOfEvent,
        path: `events/${eventId}/eventitems`,
        idField: 'EventItemId',
        maxRows: MAX_EVENT_ITEMS,
        parameters,
      });
    },
    votes,
  };
}
