import type { Projection } from '../../../domain/ports/projection.ts';
import type { Reactor } from '../../../domain/ports/reactors.ts';
import { createReadCivicHealth } from '../../../queries/feed/read-civic-health.ts';
import type { Health } from '../../../contract/read-civic-health.ts';
import { asData, type CustomerAnswers } from '../../edge/answers/exchange.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

export interface OperatorFunctions {
  readonly readCivicHealth: () => Promise<Health>;
}

export const operatorOperations = (functions: OperatorFunctions) =>
  ({ readCivicHealth: async () => asData(await functions.readCivicHealth()) }) satisfies Partial<CustomerAnswers>;

/** Lag of the processors, for health, metrics, the operator page and commands. */
export function operators(
  { log, clock, leaseClock, reads, history, logger, stores, deadlineMs }: Platform,
  projections: readonly Projection[],
  reactors: readonly Reactor[],
) {
  const handles = new Map(projections.map((projection) => [projection.name, projection.handles]));
  const listing = { generations: stores.generations, log, clock, leaseClock, handles };
  const follows = new Map(reactors.map(({ name, follows: types }) => [name, types]));
  const listingReactors = { processorStore: stores.processorStore, log, clock, leaseClock, follows };
  return {
    operations: operatorOperations({
      readCivicHealth: createReadCivicHealth({
        ...listing,
        ...listingReactors,
        history,
        reads,
        logger,
        deadlineMs,
        unclassified: stores.unclassifiedItems,
      }),
    }),
    listing,
    listingReactors,
  } satisfies Module & Record<'listing' | 'listingReactors', unknown>;
}
