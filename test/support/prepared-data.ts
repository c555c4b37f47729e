import { spawnSync } from 'node:child_process';

/** The variable that names a data directory of the run: its PostgreSQL is made and migrated, and does not run. */
export const PREPARED_DATA_DIR = 'TEST_PREPARED_DATA_DIR';

/** Copies a data directory whose server does not run, with the owners of its files. */
export function copyDataDir(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['--archive', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the prepared data directory was not copied: ${stderr}`);
}
