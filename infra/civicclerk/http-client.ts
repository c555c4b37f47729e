import { type CivicClerkClient, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { type JsonReaderOptions, jsonReader, NOT_FOUND } from '../system/json-reader.ts';

/** Far more than a client has; a source that always names a next page ends here. */
const MAX_PAGES = 1_000;

/** The event service of a CivicClerk client, an OData service. `baseUrl` ends in `/v1`. */
export function civicClerkHttpClient(baseUrl: string, options: JsonReaderOptions): CivicClerkClient {
  const read = jsonReader(options, () => null);
  return {
    events: async () => {
      const rows: unknown[] = [];
      let next: unknown = `${baseUrl}/Events`;
      for (let page = 0; next !== undefined; page += 1) {
        // OData allows a relative link.
        const address = typeof next === 'string' ? URL.parse(next, `${baseUrl}/`) : null;
        if (page === MAX_PAGES || address?.origin !== new URL(baseUrl).origin) {
          throw new SourceUnavailable('the source names no usable address of the next page of its events');
        }
        const answer = await read(address.href, page === 0 ? { $orderby: 'startDateTime desc' } : {});
        if (answer === NOT_FOUND) throw new UnknownSourceClient(`${baseUrl} has no list of events; check the name of the client`);
        const { value, '@odata.nextLink': link } = (answer ?? {}) as { readonly value?: unknown; readonly '@odata.nextLink'?: unknown };
        if (!Array.isArray(value)) throw new SourceUnavailable('the source has no list of events');
        rows.push(...(value as unknown[]));
        next = link;
      }
      return rows;
    },
  };
}
