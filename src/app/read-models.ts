import { accounts } from '../../projections/accounts/projection.ts';
import { createAgendaProjection } from '../../projections/agenda/projection.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { audit } from '../../projections/audit/projection.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordKeys } from '../../projections/record-keys/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { reports } from '../../projections/reports/projection.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { subscriptions } from '../../projections/subscriptions/projection.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { COVERED_BODIES } from '../sources/catalogue/catalogue-records.ts';
import { SAMPLE_BODY_SLUG, SAMPLE_JURISDICTION_SLUG } from '../sources/sample/sample-records.ts';

/** Covers the public bodies and, while the sample exists, the body of the sample. */
const agenda = createAgendaProjection([
  ...COVERED_BODIES,
  { jurisdictionSlug: SAMPLE_JURISDICTION_SLUG, slug: SAMPLE_BODY_SLUG },
]);

export const PROJECTIONS: readonly Projection[] = [
  recordHistory,
  snapshots,
  accounts,
  recordReferences,
  agenda,
  reports,
  subscriptions,
  audit,
  agendaSearch,
  recordKeys,
];
