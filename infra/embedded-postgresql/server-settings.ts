/** Settings for a small machine. Every commit is flushed to disk, and the server listens on a private socket only. */
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
  // Other methods leave commits in the disk's cache on macOS.
  ...(process.platform === 'darwin' && { wal_sync_method: 'fsync_writethrough' }),
};

/** Role of every connection. */
export const superuser = 'postgres';

/** Part of the socket's file name. The server does not listen on the network. */
export const socketPort = 5432;

export function serverArguments(cluster: string, socketDirectory: string): string[] {
  const settingArguments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', cluster, '-p', String(socketPort), '-k', socketDirectory, ...settingArguments];
}

/** Returns a connection string that pg and slonik accept. */
export function serverUrl(socketDirectory: string, password: string): string {
  return `postgres://${superuser}:${password}@${encodeURIComponent(socketDirectory)}:${socketPort}/postgres`;
}
