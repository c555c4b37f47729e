import type { Clock } from '../../../domain/ports/clock.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { civicClerkHttpClient } from '../../../infra/civicclerk/http-client.ts';
import { civicWebHttpClient } from '../../../infra/civicweb/http-client.ts';
import { legistarFolderReader } from '../../../infra/legistar/folder-client.ts';
import { LEGISTAR_BASE_URL, legistarHttpReader } from '../../../infra/legistar/http-client.ts';
import { openCitiesHttpClient } from '../../../infra/opencities/http-client.ts';
import { techShareHttpClient } from '../../../infra/techshare/http-client.ts';
import type { Connectors } from '../../sources/added-sources.ts';
import { civicClerkReader } from '../../sources/civicclerk/reader.ts';
import { civicPlusArchiveReader } from '../../sources/civicplus-archive/reader.ts';
import { civicPlusReader } from '../../sources/civicplus/reader.ts';
import { siteOfHost } from '../../sources/civicplus/source.ts';
import { civicWebReader } from '../../sources/civicweb/reader.ts';
import { agendaConnector } from '../../sources/agendas/sync.ts';
import { openCitiesReader } from '../../sources/opencities/reader.ts';
import { openCitiesSite } from '../../sources/opencities/source.ts';
import type { SyncRequest } from '../../sources/source.ts';
import { swagitReader } from '../../sources/swagit/reader.ts';
import { siteOfTenant } from '../../sources/swagit/source.ts';
import { techShareReader } from '../../sources/techshare/reader.ts';
import { techSharePortal } from '../../sources/techshare/source.ts';
import type { OpenWeb } from './web-readers.ts';

type ReaderRequest = Pick<SyncRequest, 'client' | 'options' | 'signal' | 'token'>;

function openLegistarReader({ client, options, signal, token }: ReaderRequest, clock: Clock) {
  const { baseUrl = LEGISTAR_BASE_URL, from } = options;
  return from === undefined
    ? legistarHttpReader({ baseUrl, client, token, clock, random: Math.random, signal })
    : legistarFolderReader({ directory: from, client });
}

const http = ({ signal }: ReaderRequest, clock: Clock) => ({ clock, random: Math.random, signal });
const trimTrailingSlashes = (url: string | undefined): string | undefined => url?.replace(/(?<!\/)\/+$/, '');

function openCivicWebReader(request: ReaderRequest, clock: Clock) {
  const portal = trimTrailingSlashes(request.options.baseUrl) ?? `https://${request.client}.civicweb.net`;
  return civicWebReader(civicWebHttpClient(portal, http(request, clock)), portal, clock);
}

function openTechShareReader(request: ReaderRequest, clock: Clock) {
  const { portal, committeeId } = techSharePortal(request.client, trimTrailingSlashes(request.options.baseUrl));
  return techShareReader(techShareHttpClient(portal, committeeId, http(request, clock)), portal);
}

function openOpenCitiesReader(request: ReaderRequest, clock: Clock) {
  const site = openCitiesSite(request.client, trimTrailingSlashes(request.options.baseUrl));
  return openCitiesReader(openCitiesHttpClient(site, request.client, http(request, clock)), site, clock);
}

/** An address without a path is that of the host of the event service. */
function civicClerkBaseUrl({ client, options }: ReaderRequest): string {
  const baseUrl = trimTrailingSlashes(options.baseUrl) ?? `https://${client}.api.civicclerk.com`;
  return URL.parse(baseUrl)?.pathname === '/' ? `${baseUrl}/v1` : baseUrl;
}

function openCivicClerkReader(request: ReaderRequest, clock: Clock) {
  const baseUrl = civicClerkBaseUrl(request);
  const portal = `https://${request.client}.portal.civicclerk.com`;
  // The event service expects requests of its portal.
  const headers = { origin: portal, referer: `${portal}/` };
  const official = `https://${request.client}.api.civicclerk.com`;
  const client = civicClerkHttpClient(baseUrl, { ...http(request, clock), headers }, official);
  return civicClerkReader(client, { portal, api: baseUrl });
}

interface Site {
  readonly web: WebReader;
  /** Address of the site, without a slash at its end. */
  readonly site: string;
  readonly since: string | undefined;
  readonly clock: Clock;
}

/** Creates the connector of a platform whose pages are read. `siteOf` returns the address of a client's site. */
function pageConnector(
  openWeb: OpenWeb,
  siteOf: (client: string) => string,
  {
    prefix,
    readerOf,
  }: { readonly prefix: `${string}:`; readonly readerOf: (site: Site, read: ReaderRequest) => AgendaReader },
) {
  const webOf = (request: ReaderRequest) => openWeb(request, siteOf(request.client));
  const open = (request: ReaderRequest, clock: Clock) => {
    const { since } = request.options;
    return readerOf({ web: webOf(request), site: siteOf(request.client), since, clock }, request);
  };
  return agendaConnector(open, prefix, webOf);
}

/** Creates the connectors by source name. A platform that publishes pages reads them through `openWeb`. */
export function createConnectors(openWeb: OpenWeb): Connectors {
  return {
    legistar: agendaConnector(openLegistarReader, ''),
    civicweb: agendaConnector(openCivicWebReader, 'civicweb:', openWeb),
    techshare: agendaConnector(openTechShareReader, 'techshare:', openWeb),
    opencities: agendaConnector(openOpenCitiesReader, 'opencities:'),
    civicclerk: agendaConnector(openCivicClerkReader, 'civicclerk:', openWeb),
    civicplus: pageConnector(openWeb, siteOfHost, {
      prefix: 'civicplus:',
      readerOf: (site, { options }) => civicPlusReader({ ...site, category: options.category }),
    }),
    'civicplus-archive': pageConnector(openWeb, siteOfHost, {
      prefix: 'civicplus-archive:',
      readerOf: (site, { options }) => civicPlusArchiveReader({ ...site, amid: options.amid }),
    }),
    swagit: pageConnector(openWeb, siteOfTenant, {
      prefix: 'swagit:',
      readerOf: (site, { options }) => swagitReader({ ...site, view: options.view }),
    }),
  };
}
