import type { Load } from '../rig/bench.ts';
import { batchLookup } from './batch-lookup.ts';
import { bulkImport } from './bulk-import.ts';
import { feedDepth } from './feed-depth.ts';
import { feedReplay } from './feed-replay.ts';
import { rebuildHistory } from './rebuild.ts';
import { snapshot } from './snapshot.ts';

/** In the order of the table. */
export const LOADS: readonly Load[] = [feedReplay, feedDepth, batchLookup, bulkImport, rebuildHistory, snapshot];
