import { accounts } from '../../projections/accounts/projection.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordKeys } from '../../projections/record-keys/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { reports } from '../../projections/reports/projection.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import type { Projection } from '../../domain/ports/projection.ts';

/** Every read model that the tests fold. */
export const ALL_PROJECTIONS: readonly Projection[] = [
  recordHistory,
  snapshots,
  accounts,
  recordReferences,
  reports,
  recordKeys,
];
