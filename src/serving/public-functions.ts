import { createGetAgendaHit } from '../../queries/get-agenda-hit.ts';
import { createGetPublicBodyCadence } from '../../queries/get-public-body-cadence.ts';
import { listDfwResearchCoverage } from '../../queries/list-dfw-research-coverage.ts';
import { createListPublicSourceStatuses } from '../../queries/list-public-source-statuses.ts';
import { createListRecentAgendaHits } from '../../queries/list-recent-agenda-hits.ts';
import { createListUpcomingAgendaHits } from '../../queries/list-upcoming-agenda-hits.ts';
import type { PublicFunctions } from '../contract/handlers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { LiveReads } from '../domain/ports/projection.ts';
import { COVERED_BODIES } from '../sources/catalogue/data-files.ts';
import { COVERAGE_CATALOGUE } from '../sources/coverage/coverage-catalogue.ts';

export interface ReadParts {
  readonly reads: LiveReads;
  readonly clock: Clock;
}

/** What the public operations are answered from: the agenda, and the shipped catalogue. */
export const createPublicFunctions = ({ reads, clock }: ReadParts): PublicFunctions => ({
  listRecentAgendaHits: createListRecentAgendaHits(reads),
  getAgendaHit: createGetAgendaHit(reads),
  listUpcomingAgendaHits: createListUpcomingAgendaHits({ reads, clock }),
  listDfwResearchCoverage: (input) => listDfwResearchCoverage(COVERAGE_CATALOGUE, input),
  getPublicBodyCadence: createGetPublicBodyCadence({ reads, clock, pairs: COVERED_BODIES }),
  listPublicSourceStatuses: createListPublicSourceStatuses({ reads, clock }),
});
