import type { Clock } from '../../domain/ports/clock.ts';
import { civicClerkHttpClient } from '../../infra/civicclerk/http-client.ts';
import { civicWebHttpClient } from '../../infra/civicweb/http-client.ts';
import { legistarFolderReader } from '../../infra/legistar/folder-client.ts';
import { LEGISTAR_BASE_URL, legistarHttpReader } from '../../infra/legistar/http-client.ts';
import { openCitiesHttpClient } from '../../infra/opencities/http-client.ts';
import { techShareHttpClient } from '../../infra/techshare/http-client.ts';
import type { Connectors } from '../sources/added-sources.ts';
import { civicClerkReader } from '../sources/civicclerk/reader.ts';
import { civicWebReader } from '../sources/civicweb/reader.ts';
import { agendaConnector } from '../sources/legistar/sync.ts';
import { openCitiesReader } from '../sources/opencities/reader.ts';
import { openCitiesSite } from '../sources/opencities/source.ts';
import type { SyncRequest } from '../sources/source.ts';
import { techShareReader } from '../sources/techshare/reader.ts';
import { techSharePortal } from '../sources/techshare/source.ts';

type Read = Pick<SyncRequest, 'client' | 'options' | 'signal'>;

function legistarReader({ client, options, signal }: Read, clock: Clock) {
  const { baseUrl = LEGISTAR_BASE_URL, from } = options;
  return from === undefined
    ? legistarHttpReader({ baseUrl, client, clock, random: Math.random, signal })
    : legistarFolderReader({ directory: from, client });
}

const http = ({ signal }: Read, clock: Clock) => ({ clock, random: Math.random, signal });
const withoutSlash = (url: string | undefined): string | undefined => url?.replace(/\/+$/, '');

function civicWebReaderOf(request: Read, clock: Clock) {
  const portal = withoutSlash(request.options.baseUrl) ?? `https://${request.client}.civicweb.net`;
  return civicWebReader(civicWebHttpClient(portal, http(request, clock)), portal, clock);
}

function techShareReaderOf(request: Read, clock: Clock) {
  const { portal, committeeId } = techSharePortal(request.client, withoutSlash(request.options.baseUrl));
  return techShareReader(techShareHttpClient(portal, committeeId, http(request, clock)), portal);
}

function openCitiesReaderOf(request: Read, clock: Clock) {
  const site = openCitiesSite(request.client, withoutSlash(request.options.baseUrl));
  return openCitiesReader(openCitiesHttpClient(site, request.client, http(request, clock)), site, clock);
}

function civicClerkReaderOf(request: Read, clock: Clock) {
  const baseUrl = withoutSlash(request.options.baseUrl) ?? `https://${request.client}.api.civicclerk.com/v1`;
  return civicClerkReader(civicClerkHttpClient(baseUrl, http(request, clock)), `https://${request.client}.portal.civicclerk.com`);
}

/** Each source with its adapter. */
export const CONNECTORS: Connectors = {
  legistar: agendaConnector(legistarReader, ''),
  civicweb: agendaConnector(civicWebReaderOf, 'civicweb:'),
  techshare: agendaConnector(techShareReaderOf, 'techshare:'),
  opencities: agendaConnector(openCitiesReaderOf, 'opencities:'),
  civicclerk: agendaConnector(civicClerkReaderOf, 'civicclerk:'),
};
