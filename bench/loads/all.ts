import type { Load } from '../rig/bench.ts';
import { bulkImport } from './bulk-import.ts';

export const LOADS: readonly Load[] = [bulkImport];
