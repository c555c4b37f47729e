import { openDirectoryStore } from './directory-store.ts';
import { openPostgresStore } from './postgres-store.ts';
import type { ReplicaStore } from './replica-store.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** A store by its address: `sqlite:FILE`, `postgres://…`, or a folder. Throws `ReplicaRefused`. */
export async function openReplicaStore(to: string): Promise<ReplicaStore> {
  if (to.startsWith('sqlite:')) return openSqliteStore(to.slice('sqlite:'.length));
  return /^postgres(ql)?:\/\//.test(to) ? openPostgresStore(to) : openDirectoryStore(to);
}
