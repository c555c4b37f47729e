/**
 * Settings for a small machine that must not lose anything: every commit is flushed (fsync and synchronous_commit stay on), and nothing
 * listens but a socket in a private directory.
 */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '300',
  superuser_reserved_connections: '3',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '10min',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  effective_io_concurrency: '32',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  logging_collector: 'off',
};

/** The role that initdb makes and that everything logs in as. */
export const superuser = 'postgres';

/** The port is a name in the socket directory only: nothing listens on the network. */
export const socketPort = 5432;

/** The arguments of `postgres` for a cluster and a directory of sockets. */
export function serverArguments(cluster: string, socketDirectory: string): string[] {
  return [
    '-D',
    cluster,
    '-p',
    String(socketPort),
    '-k',
    socketDirectory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** A connection string that both pg and slonik accept for the server whose sockets stand in this directory. */
export function serverUrl(socketDirectory: string, password: string): string {
  return `postgres://${superuser}:${password}@${encodeURIComponent(socketDirectory)}:${socketPort}/postgres`;
}
