/** Address that the operator named in place of that of a site. */
export interface BaseAddress {
  /** Host that the operator named, which need not be public; null if there is none. */
  readonly namedHost: string | null;
  /** Hosts of which no address need be public: the named one, and that of the site, which it replaces. */
  readonly ownHosts: ReadonlySet<string>;
  /** Returns the address that is requested in place of one of the site; other addresses stay the same. */
  toRequest(address: URL): URL;
  /** Returns the address at the site that was requested at the named host. */
  toPublished(address: URL): URL;
}

/** `site` is the address of the platform that `baseUrl` replaces; undefined if addresses are those of `baseUrl`. */
export function readBaseAddress(baseUrl: string | undefined, site: string | undefined): BaseAddress {
  const same = (address: URL): URL => address;
  if (baseUrl === undefined) return { namedHost: null, ownHosts: new Set(), toRequest: same, toPublished: same };
  const base = new URL(baseUrl);
  const namedHost = base.host;
  if (site === undefined) return { namedHost, ownHosts: new Set([namedHost]), toRequest: same, toPublished: same };
  const { host, origin } = new URL(site);
  const folder = base.pathname.replace(/\/$/, '');
  return {
    namedHost,
    ownHosts: new Set([namedHost, host]),
    toRequest: (address) =>
      address.host === host ? new URL(`${base.origin}${folder}${address.pathname}${address.search}`) : address,
    toPublished(address) {
      if (address.host !== namedHost || !`${address.pathname}/`.startsWith(`${folder}/`)) return address;
      return new URL(`${origin}${address.pathname.slice(folder.length)}${address.search}`);
    },
  };
}
