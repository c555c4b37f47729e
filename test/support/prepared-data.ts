import { spawnSync } from 'node:child_process';

/** The variable that names a data directory of the run: its PostgreSQL is made and migrated, and does not run. */
export const PREPARED_DATA_DIR = 'TEST_PREPARED_DATA_DIR';

/** A database of the run's server to which nothing connects: new ones are copied from it. */
export const MIGRATED_DATABASE = 'migrated';

/** The same with the empty tables of every read model, for tests that serve the whole program. */
export const FOLDED_DATABASE = 'folded';

/** Makes a data directory whose PostgreSQL need not be made again; none in the fast lane. It saves initdb, which is most of a first start. */
export function copyPreparedData(dataDir: string): void {
  const prepared = process.env[PREPARED_DATA_DIR];
  if (prepared !== undefined) copyDataDir(prepared, dataDir);
}

/** Copies a data directory whose server does not run, with the owners of its files. */
export function copyDataDir(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['--archive', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the prepared data directory was not copied: ${stderr}`);
}
