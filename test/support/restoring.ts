import { Readable } from 'node:stream';
import { restoreArchive, type RestoreOutcome } from '../../src/cli/backup/restore-archive.ts';
import { verifyArchive } from '../../src/cli/backup/verify-archive.ts';
import { openStoresAlone } from '../../src/app/composition.ts';
import { readSettings } from '../../src/app/settings.ts';
import type { Environment } from './service.ts';

/** Restores a backup in memory, as the command does. */
export async function restoreInto(
  archive: Buffer,
  env: Environment,
  wishes: { readonly asCopy?: boolean; readonly revokeKeys?: boolean } = {},
): Promise<RestoreOutcome> {
  const stores = await openStoresAlone(readSettings({ ...env, CIVIC_LOG_LEVEL: 'silent' }).settings, 'command');
  const read = () => Readable.from([archive]);
  const { asCopy = false, revokeKeys = asCopy } = wishes;
  const nothing = () => undefined;
  try {
    const verified = await verifyArchive(read());
    const signal = new AbortController().signal;
    return await restoreArchive({ stores, archive: verified, read, asCopy, revokeKeys, signal, onProgress: nothing });
  } finally {
    await stores.close();
  }
}
