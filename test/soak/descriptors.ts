import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Descriptors {
  /** Files, and connections that the process opened. */
  readonly own: number;
  /** Connections of clients to one of the ports; clients decide their number. */
  readonly taken: number;
}

/** Inodes of the local connections to one of the ports. */
const inodesAt = (ports: ReadonlySet<number>): ReadonlySet<string> =>
  new Set(
    ['tcp', 'tcp6'].flatMap((family) =>
      readFileSync(`/proc/net/${family}`, 'utf8')
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter(
          ([, local = '', , state]) =>
            state !== '0A' && ports.has(Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)),
        )
        .map((columns) => columns[9]!),
    ),
  );

/** The open descriptors of a process that listens on these ports; throws when it has ended. */
export function descriptorsOf(pid: number, ports: ReadonlySet<number>): Descriptors {
  const inodes = inodesAt(ports);
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      // The descriptor was closed in between.
      return [];
    }
  });
  const others = links.filter((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? ''));
  return { own: links.length - others.length, taken: others.length };
}
