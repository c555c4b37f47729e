import { type Command, Option } from '@commander-js/extra-typings';
import type { Source } from '../../sources/source.ts';

/** Adds the options that an added source keeps. Their values are stored as texts: that of a flag is `true`. */
export function addOwnOptions(command: Command, { ownOptions = [] }: Pick<Source, 'ownOptions'>): void {
  for (const [flags, meaning] of ownOptions) command.addOption(new Option(flags, meaning).preset('true'));
}
