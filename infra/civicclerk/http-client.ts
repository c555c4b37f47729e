import { type CivicClerkClient, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { GONE, type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';
import { readPages } from '../system/read-budget.ts';

/**
 * Creates a client for the event service (OData) of a CivicClerk customer. `baseUrl` ends in `/v1`. Links to `official`, the origin of the service, lead to
 * the same path at `baseUrl`.
 */
export function civicClerkHttpClient(
  baseUrl: string,
  options: JsonReaderOptions,
  official = new URL(baseUrl).origin,
): CivicClerkClient {
  const read = jsonReader(options, () => null);
  const firstPage = `${baseUrl}/Events`;

  /** Resolves a link, which can be relative in OData. */
  const addressOf = (link: unknown): string => {
    const address = typeof link === 'string' ? URL.parse(link, `${baseUrl}/`) : null;
    const { origin } = new URL(baseUrl);
    if (address?.origin !== origin && address?.origin !== official) {
      throw new SourceUnavailable('the source names no usable address of the next page of its events');
    }
    return `${origin}${address.pathname}${address.search}`;
  };

  return {
    events: () =>
      readPages(
        { list: 'the list of events', clock: options.clock, idField: 'id' },
        firstPage,
        async (address, budget) => {
          const answer = await read(address, address === firstPage ? { $orderby: 'startDateTime desc' } : {}, {
            budget,
          });
          if (answer === NOT_FOUND || answer === GONE) {
            throw new UnknownSourceClient(`${baseUrl} has no list of events; check the name of the client`);
          }
          const { value, '@odata.nextLink': link } = (answer ?? {}) as {
            readonly value?: unknown;
            readonly '@odata.nextLink'?: unknown;
          };
          if (!Array.isArray(value)) throw new SourceUnavailable('the source has no list of events');
          return { rows: value, next: link === undefined || link === null ? null : addressOf(link) };
        },
      ),
    agenda: async (agendaId) => {
      const answer = await read(`${baseUrl}/Meetings/${agendaId}`, {});
      return answer === NOT_FOUND || answer === GONE ? null : answer;
    },
  };
}
