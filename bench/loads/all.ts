import type { Load } from '../rig/bench.ts';
import { bulkImport } from './bulk-import.ts';
import { feedReplay } from './feed-replay.ts';
import { rebuildHistory } from './rebuild.ts';

export const LOADS: readonly Load[] = [feedReplay, bulkImport, rebuildHistory];
