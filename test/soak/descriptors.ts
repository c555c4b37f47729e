import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Descriptors {
  /** Files, and connections that the process made or that nobody asked for. */
  readonly own: number;
  /** Connections that others made to one of the ports: how many they keep is theirs to say. */
  readonly taken: number;
}

/** Inodes of the connections of this machine whose end here is one of the ports. */
const inodesAt = (ports: ReadonlySet<number>): ReadonlySet<string> =>
  new Set(
    ['tcp', 'tcp6'].flatMap((family) =>
      readFileSync(`/proc/net/${family}`, 'utf8')
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local = '', , state]) => state !== '0A' && ports.has(Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)))
        .map((columns) => columns[9]!),
    ),
  );

/** What a process that listens on these ports has open; throws when it has ended. */
export const descriptorsOf = (pid: number, ports: ReadonlySet<number>): Descriptors => {
  const taken = inodesAt(ports);
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      // Closed since.
      return [];
    }
  });
  const others = links.filter((link) => taken.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? ''));
  return { own: links.length - others.length, taken: others.length };
};
