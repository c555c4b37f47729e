import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { certificateReason } from '../system/certificate-reason.ts';

const DEFAULT_PORT = 2113;
const CONNECT_MS = 2_000;

async function handshakeError(host: string, port: number, ca: Buffer | undefined): Promise<Error | null> {
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  const socket = connect({
    host,
    port,
    ALPNProtocols: ['h2'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
  socket.setTimeout(CONNECT_MS, () => resolve(null));
  socket.once('secureConnect', () => resolve(null));
  socket.on('error', resolve);
  return promise.finally(() => socket.destroy());
}

/**
 * Returns why a server's certificate is refused, or null. Connects to each host itself, because the client hides the
 * reason.
 */
export async function certificateProblem(url: string): Promise<string | null> {
  const [, hosts = '', options = ''] = /^[^:]+:\/\/(?:.*@)?([^/?]+)\/?(?:\?(.*))?$/.exec(url) ?? [];
  // The client accepts option names in any letter case, with or without hyphens.
  const byName = new Map(
    [...new URLSearchParams(options)].map(([name, value]) => [name.toLowerCase().replaceAll(/[-_]/g, ''), value]),
  );
  if (byName.get('tls')?.toLowerCase() === 'false') return null;
  const file = byName.get('tlscafile');
  const ca = file === undefined ? undefined : await readFile(file).catch(() => undefined);
  for (const address of hosts.split(',')) {
    const [host = '', port] = address.split(':');
    const reason = certificateReason(
      await handshakeError(host, port === undefined ? DEFAULT_PORT : Number(port), ca).catch(() => null),
    );
    if (reason !== null) {
      return `the certificate of the log's server ${address} is refused: ${reason}; correct it, or name its authority with tlsCAFile in EVENTSTORE_URL`;
    }
  }
  return null;
}
