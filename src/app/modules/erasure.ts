import { type EraseContent, eraseContent, type ErasedContent } from '../../../commands/erasure/erase-content.ts';
import type { Platform } from '../platform.ts';
import { createErasureReactor } from '../../processors/reactors/erasures/purge-copies.ts';
import type { Module } from './module.ts';

const DEADLINE_MS = 600_000;

/** `readModels` are the names of all read models. */
export function erasure(
  { log, clock, chainClock, identifiers, progress, stores }: Platform,
  readModels: readonly string[],
) {
  const copies = stores.erasedCopies;
  return {
    reactors: [createErasureReactor({ copies, progress, clock, chainClock, readModels })],
    erasing: {
      erase: (command: EraseContent): Promise<ErasedContent> =>
        eraseContent({ log, clock, identifiers, deadlineMs: DEADLINE_MS }, command),
      /**
       * Purges copies outside the read models, which must have passed the erasure.
       * Resolves to the number of copies that stay because a paid call still uses them.
       */
      purgeCopies: (streams: readonly string[]): Promise<number> => copies.clear(streams, chainClock.now()),
      reclaim: (): Promise<void> => copies.reclaim(),
    },
  } satisfies Module & Record<'erasing', unknown>;
}
