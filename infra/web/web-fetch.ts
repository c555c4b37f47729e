import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { RequestInit, Response } from 'undici';
import { isPublicIp } from '../../domain/public-network.ts';
import type { OutgoingProxies } from '../../plumbing/outgoing-proxy.ts';

const CONNECT_TIMEOUT_MS = 30_000;

/** The name of a host leads to no public address. */
export class HostNotPublic extends Error {
  override readonly name = 'HostNotPublic';
}

/**
 * Creates a lookup that returns only public addresses. The connection uses its result, so a name that changes its
 * address between a check and the connection gains nothing.
 */
export function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, resolved) => {
      if (error !== null) return callback(error, []);
      const addresses = Array.isArray(resolved) ? resolved.filter(({ address }) => isPublicIp(address)) : [];
      const [first] = addresses;
      if (first === undefined) return callback(new HostNotPublic(`${hostname} has no public address`), []);
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}

/**
 * Sends a request without following redirects. Connections to a host that the operator named (`isNamed`) are not
 * checked, and are never used for other requests.
 */
export type WebFetch = (address: URL, isNamed: boolean, init: RequestInit) => Promise<Response>;

/**
 * Creates the function and its connections. A proxy resolves the names of hosts itself: only connections without it are
 * checked by address. Loads the library, which is large, at the first request.
 */
export function createWebFetch(proxies: OutgoingProxies | null, lookup: LookupFunction = systemLookup): WebFetch {
  let opened: ReturnType<typeof openAgents> | undefined;
  return async (address, isNamed, init) => {
    opened ??= openAgents(proxies, lookup);
    const { fetch, named, checked } = await opened;
    return fetch(address, { ...init, redirect: 'manual', dispatcher: isNamed ? named : checked });
  };
}

async function openAgents(proxies: OutgoingProxies | null, lookup: LookupFunction) {
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici');
  const openAgent = (lookupOfAgent: LookupFunction) => {
    const options = { connect: { lookup: lookupOfAgent, timeout: CONNECT_TIMEOUT_MS }, allowH2: false };
    if (proxies === null) return new Agent(options);
    const { httpProxy = '', httpsProxy = httpProxy, noProxy } = proxies;
    return new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy });
  };
  return { fetch, named: openAgent(lookup), checked: openAgent(publicLookup(lookup)) };
}
