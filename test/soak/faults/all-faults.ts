import { CLOCK_FAULTS } from './clock-faults.ts';
import { DATABASE_FAULTS } from './database-faults.ts';
import type { MakeFault } from './fault.ts';
import { LINK_FAULTS } from './link-faults.ts';
import { PROCESS_FAULTS } from './process-faults.ts';

/** Every kind of fault by its name. */
export const FAULTS: Readonly<Record<string, MakeFault>> = {
  ...PROCESS_FAULTS,
  ...DATABASE_FAULTS,
  ...LINK_FAULTS,
  ...CLOCK_FAULTS,
};
