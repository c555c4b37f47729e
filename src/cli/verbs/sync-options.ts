import type { Command } from '@commander-js/extra-typings';
import type { Source, SyncReport } from '../../sources/source.ts';
import type { CliContext } from '../context.ts';
import { addOwnOptions } from './own-options.ts';
import { parseBaseUrl } from './source-list.ts';

/** Reasons that are printed without `--json`. */
const SHOWN = 20;

/** Adds the options of a platform. */
export function addSyncOptions(command: Command, source: Pick<Source, 'ownOptions' | 'options'>): void {
  addOwnOptions(command, source);
  for (const [flags, meaning] of source.options)
    if (flags.startsWith('--base-url ')) command.option(flags, meaning, parseBaseUrl);
    else command.option(flags, meaning);
}

/** Prints why rows were left out or published incompletely. */
export function printReasons(
  context: CliContext,
  { skipped, degraded }: Pick<SyncReport, 'skipped' | 'degraded'>,
): void {
  for (const { what, id, reason } of skipped.slice(0, SHOWN))
    context.stdout.write(`skipped ${what} ${id}: ${reason}\n`);
  for (const { what, id, reason } of degraded.slice(0, SHOWN))
    context.stdout.write(`degraded ${what} ${id}: ${reason}\n`);
  if (Math.max(skipped.length, degraded.length) > SHOWN) context.stdout.write(`and more; --json lists all\n`);
}
