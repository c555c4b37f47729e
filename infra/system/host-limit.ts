/**
 * Maximum concurrent requests to one host, for all sources of this process: the clients of a platform share its host.
 */
export const MAX_REQUESTS_AT_ONCE = 4;

interface Host {
  running: number;
  readonly waiting: (() => void)[];
}

const hosts = new Map<string, Host>();

/** Runs a request once fewer than four others run on its host. Requests wait in the order of the calls. */
export async function limitByHost<Result>(name: string, request: () => Promise<Result>): Promise<Result> {
  const host = hosts.get(name) ?? { running: 0, waiting: [] };
  hosts.set(name, host);
  if (host.running < MAX_REQUESTS_AT_ONCE) host.running += 1;
  else await new Promise<void>((resolve) => host.waiting.push(resolve));
  try {
    return await request();
  } finally {
    const next = host.waiting.shift();
    // A waiting request takes the place of this one.
    if (next !== undefined) next();
    else host.running -= 1;
    if (host.running === 0) hosts.delete(name);
  }
}
