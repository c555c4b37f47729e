import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { createWebFetch } from '../../../infra/web/web-fetch.ts';
import { createWebReader, openWebAccess } from '../../../infra/web/web-reader.ts';
import { outgoingProxies } from '../../../plumbing/outgoing-proxy.ts';
import type { ProbeRequest } from '../../sources/source.ts';
import type { Platform } from '../platform.ts';

/**
 * Opens the reader of pages and documents of a source. `site` is the address of the platform, such as
 * `https://www.example.gov`: requests to it go to `--base-url`, and the addresses in answers are those of the platform.
 */
export type OpenWeb = (request: Pick<ProbeRequest, 'options' | 'signal'>, site?: string) => WebReader;

/** The sources of a process share the pauses of each host. Only `--base-url` may name a host that is not public. */
export function createOpenWeb({ settings, clock }: Pick<Platform, 'settings' | 'clock'>): OpenWeb {
  const access = openWebAccess({
    fetch: createWebFetch(outgoingProxies()),
    clock,
    random: Math.random,
    pauseMs: settings.CIVIC_SOURCE_PAUSE,
    contact: settings.CIVIC_CONTACT,
  });
  return ({ options: { baseUrl, ignoreRobots }, signal }, site) =>
    createWebReader(access, { baseUrl, site, ignoresRobots: ignoreRobots !== undefined, signal });
}
