import * as http from 'node:http';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of this machine, which no proxy can reach. */
const LOCAL = 'localhost,127.0.0.1,::1,[::1]';

/** Returns a variable by its lower-case or upper-case name; undefined if it is empty. */
const read = (environment: Environment, name: string): string | undefined =>
  environment[name.toLowerCase()] || environment[name] || undefined;

/** Returns the address with its scheme: other programs accept `proxy.example.org:3128`. */
function readProxy(environment: Environment, name: string): string | undefined {
  const text = read(environment, name);
  if (text === undefined) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address) || !['http:', 'https:'].includes(new URL(address).protocol))
    throw new Error(`${name} must be the address of a proxy, such as http://proxy.example.org:3128`);
  return address;
}

/** Proxies by scheme, and the hosts that are contacted directly, in the form of NO_PROXY. */
export interface OutgoingProxies {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy: string;
}

/** Proxies of this process, for clients that do not use `fetch`. Null if there are none. */
let proxiesInUse: OutgoingProxies | null = null;
export const outgoingProxies = (): OutgoingProxies | null => proxiesInUse;

/** Throws for an invalid address; the message does not contain it, because it might have a password. */
function readProxies(environment: Environment): OutgoingProxies | null {
  const excluded = read(environment, 'NO_PROXY');
  if (excluded === '*') return null;
  const [httpProxy, httpsProxy] = [readProxy(environment, 'HTTP_PROXY'), readProxy(environment, 'HTTPS_PROXY')];
  if ((httpProxy ?? httpsProxy) === undefined) return null;
  return {
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    noProxy: excluded === undefined ? LOCAL : `${excluded},${LOCAL}`,
  };
}

/**
 * Makes `fetch` of this process use the proxies that HTTP_PROXY and HTTPS_PROXY name, except for the hosts of NO_PROXY
 * and this machine. Returns a warning if this Node.js cannot. Throws for an invalid address.
 */
export function useProxiesOf(environment: Environment): string | null {
  proxiesInUse = readProxies(environment);
  if (proxiesInUse === null) return null;
  // Older versions lack the function, and read the variables only at their start.
  const { setGlobalProxyFromEnv }: Partial<typeof http> = http;
  if (setGlobalProxyFromEnv === undefined) {
    if (environment['NODE_USE_ENV_PROXY'] === '1') return null;
    return 'HTTP_PROXY and HTTPS_PROXY need Node.js 24.14 or newer here, or NODE_USE_ENV_PROXY=1 with Node.js 22.21 or 24.5';
  }
  const { httpProxy, httpsProxy, noProxy } = proxiesInUse;
  setGlobalProxyFromEnv({
    ...(httpProxy === undefined ? {} : { http_proxy: httpProxy }),
    ...(httpsProxy === undefined ? {} : { https_proxy: httpsProxy }),
    no_proxy: noProxy,
  });
  return null;
}
