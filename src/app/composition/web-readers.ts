import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { createWebFetch } from '../../../infra/web/web-fetch.ts';
import { createWebReader, openWebAccess } from '../../../infra/web/web-reader.ts';
import { outgoingProxies } from '../../../plumbing/outgoing-proxy.ts';
import type { ProbeRequest } from '../../sources/source.ts';
import type { Platform } from '../platform.ts';

/** Opens the reader of pages and documents of a source. */
export type OpenWeb = (request: Pick<ProbeRequest, 'options' | 'signal'>) => WebReader;

/** The sources of a process share the pauses of each host. Only `--base-url` may name a host that is not public. */
export function createOpenWeb({ settings, clock }: Pick<Platform, 'settings' | 'clock'>): OpenWeb {
  const access = openWebAccess({
    fetch: createWebFetch(outgoingProxies()),
    clock,
    random: Math.random,
    pauseMs: settings.CIVIC_SOURCE_PAUSE,
    contact: settings.CIVIC_CONTACT,
  });
  return ({ options: { baseUrl, ignoreRobots }, signal }) =>
    createWebReader(access, { baseUrl, ignoresRobots: ignoreRobots !== undefined, signal });
}
