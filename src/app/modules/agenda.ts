import { createGetPublicBodyCadence, unreadCadence } from '../../../queries/agenda/get-public-body-cadence.ts';
import { readAgendaPosition } from '../../../queries/agenda/agenda-fields.ts';
import {
  createGetAgendaHit,
  createListRecentAgendaHits,
  createListUpcomingAgendaHits,
  NO_RECENT_HITS,
  noUpcomingHits,
} from '../../../queries/agenda/agenda-hits.ts';
import type { CadenceInput, JsonPage, RecentHitsInput, UpcomingHitsInput } from '../../../contract/inputs.ts';
import type { MeetingCadence } from '../../../contract/get-public-body-cadence.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { PublicAnswers } from '../../edge/answers/exchange.ts';
import { createPublicLimits } from '../../edge/admission/public-limits.ts';
import type { Platform } from '../platform.ts';
import { COVERED_BODIES } from '../../sources/catalogue/catalogue-records.ts';
import type { Module } from './module.ts';

const MERGE_COUNTS_EVERY_MS = 1_000;

export interface AgendaFunctions {
  readonly listRecentAgendaHits: (input: RecentHitsInput) => Promise<JsonPage>;
  /** A lower-case uuid. */
  readonly getAgendaHit: (matchId: string) => Promise<JsonPage>;
  readonly listUpcomingAgendaHits: (input: UpcomingHitsInput) => Promise<JsonPage>;
  readonly getPublicBodyCadence: (input: CadenceInput) => Promise<MeetingCadence>;
}

/** After a failure, lists are empty and dates null with status 200; a single hit, or the cadence of an unknown body, is 404. */
export const agendaOperations = (functions: AgendaFunctions) =>
  ({
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
    getPublicBodyCadence: {
      ask: async ({ params }) => JSON.stringify({ data: await functions.getPublicBodyCadence(params) }),
      soft: ({ params }) => JSON.stringify({ data: unreadCadence(COVERED_BODIES, params) }),
    },
  }) satisfies Partial<PublicAnswers>;

export function agenda({ settings, reads, clock, logger, stores }: Platform) {
  const publicLimits = createPublicLimits({ limit: settings.CIVIC_PUBLIC_LIMIT, shared: stores.sharedCounts, logger });
  return {
    publicOperations: agendaOperations({
      listRecentAgendaHits: createListRecentAgendaHits({ reads, clock }),
      getAgendaHit: createGetAgendaHit({ reads, clock }),
      listUpcomingAgendaHits: createListUpcomingAgendaHits({ reads, clock }),
      getPublicBodyCadence: createGetPublicBodyCadence({ reads, clock, pairs: COVERED_BODIES }),
    }),
    jobs: [
      {
        work: 'mergePublicCounts',
        what: 'counting public requests together',
        everyMs: MERGE_COUNTS_EVERY_MS,
        lease: null,
        run: () => publicLimits.merge(clock.now()),
      },
    ],
    publicLimits,
    /** A text that changes whenever the data of the public operations changes. */
    publicPosition: () => readAgendaPosition(reads.database),
  } satisfies Module & Record<'publicLimits' | 'publicPosition', unknown>;
}
