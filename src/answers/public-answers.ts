import type { z } from 'zod';
import { NO_CADENCE } from '../../queries/get-public-body-cadence.ts';
import { NO_RECENT_HITS } from '../../queries/list-recent-agenda-hits.ts';
import { noUpcomingHits } from '../../queries/list-upcoming-agenda-hits.ts';
import type { PublicFunctions } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import type { PUBLIC_OPERATIONS, PublicOperationId } from '../contract/operations.ts';
import { Rejection } from '../domain/rejections.ts';

export interface Asked<Op extends Operation> {
  readonly params: z.output<Op['params']>;
  readonly query: z.output<Op['query']>;
}

/** How one public operation is answered; JSON texts of whole bodies. */
export interface PublicAnswer<Op extends Operation = Operation> {
  ask(asked: Asked<Op>): Promise<string>;
  /** What is answered where `ask` fails; thrown where it is a refusal. Left out: `internal_error`. */
  soft?(asked: Asked<Op>): string;
}

export type PublicAnswers = { readonly [Id in PublicOperationId]: PublicAnswer<(typeof PUBLIC_OPERATIONS)[Id]> };

/**
 * Each public operation with its soft failure, where the specification gives it one: an empty list or null dates with 200, the detail 404.
 * It gives none to source-status, whose covered set is fixed, so that an empty list would be a wrong answer, nor to the catalogue.
 */
export const createPublicAnswers = (functions: PublicFunctions): PublicAnswers => ({
  listRecentAgendaHits: {
    ask: async ({ query }) => (await functions.listRecentAgendaHits(query)).text,
    soft: () => NO_RECENT_HITS.text,
  },
  getAgendaHit: {
    ask: async ({ params }) => (await functions.getAgendaHit(params.matchId)).text,
    soft: () => {
      throw new Rejection('not_found', 'there is no such public hit');
    },
  },
  listUpcomingAgendaHits: {
    ask: async ({ query }) => (await functions.listUpcomingAgendaHits(query)).text,
    soft: ({ query }) => noUpcomingHits(query).text,
  },
  listDfwResearchCoverage: { ask: async ({ query }) => JSON.stringify(functions.listDfwResearchCoverage(query)) },
  getPublicBodyCadence: {
    ask: async ({ params }) => JSON.stringify({ data: await functions.getPublicBodyCadence(params) }),
    soft: () => JSON.stringify({ data: NO_CADENCE }),
  },
  listPublicSourceStatuses: {
    ask: async ({ query }) => JSON.stringify({ data: await functions.listPublicSourceStatuses(query) }),
  },
});
