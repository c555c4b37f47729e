import type { Load } from '../rig/bench.ts';
import { agendas } from './agendas.ts';
import { admission } from './admission.ts';
import { append } from './append.ts';
import { batchLookup } from './batch-lookup.ts';
import { bulkImport } from './bulk-import.ts';
import { feedDepth } from './feed-depth.ts';
import { feedReplay } from './feed-replay.ts';
import { hotAnswer } from './hot-answer.ts';
import { kurrentImport } from './kurrent-import.ts';
import { pollingReaders } from './readers.ts';
import { rebuildHistory } from './rebuild.ts';
import { rebuildAllUnderLoad, rebuildUnderLoad } from './rebuild-under-load.ts';
import { peers } from './peers.ts';
import { processes } from './processes.ts';
import { relay } from './relay.ts';
import { search } from './search.ts';
import { snapshot } from './snapshot.ts';
import { startAndMemory } from './start.ts';
import { toolCalls } from './tools.ts';
import { visibility } from './visibility.ts';

/** The loads in the order of the table. Loads that write to a shared data set come after those that only read it. */
export const LOADS: readonly Load[] = [
  feedReplay,
  pollingReaders,
  feedDepth,
  batchLookup,
  admission,
  hotAnswer,
  toolCalls,
  search,
  append,
  bulkImport,
  kurrentImport,
  rebuildHistory,
  rebuildUnderLoad,
  rebuildAllUnderLoad,
  startAndMemory,
  snapshot,
  visibility,
  relay,
  processes,
  peers,
  agendas,
];
