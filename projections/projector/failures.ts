import { DatabaseUnavailable, DeadlineExceeded } from '../../src/domain/ports/database.ts';
import { LogUnavailable } from '../../src/domain/ports/event-log.ts';

/** SQLSTATE classes and codes that say "try again": connection, resources, operator intervention, serialization, lock not available. */
const TRANSIENT = /^(08|53|57|40|55P03|25P03|58)/;

/** True for a failure of the surroundings, false for one of the event or the fold. */
export const isTransient = (error: unknown): boolean => {
  if (error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded || error instanceof LogUnavailable) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TRANSIENT.test(code) || /^E[A-Z]+$/.test(code);
};
