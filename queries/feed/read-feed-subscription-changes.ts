import type { ChangesInput, JsonPage, SubscriptionChangesInput } from '../../contract/inputs.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { findLiveSubscription } from './feed-subscriptions.ts';

export interface ReadFeedSubscriptionChangesDependencies {
  readonly reads: LiveReads;
  /** The change feed. */
  readonly readChanges: (input: ChangesInput) => Promise<JsonPage>;
}

/**
 * The change feed with the filter of a subscription, from its start where no cursor is given (GET
 * /api/v1/data/subscriptions/{subscriptionId}/changes). Refuses with 404 what is not exactly this key's and live, then as the feed does.
 */
export const createReadFeedSubscriptionChanges =
  ({ reads, readChanges }: ReadFeedSubscriptionChangesDependencies) =>
  async ({ cursor, limit, maxResponseBytes, ...place }: SubscriptionChangesInput): Promise<JsonPage> => {
    const subscription = await findLiveSubscription(reads, place);
    if (subscription === null) throw new Rejection('not_found', 'there is no such subscription of this key');
    const { resource, startCursor } = subscription;
    return readChanges({ ...(resource === null ? {} : { resource }), cursor: cursor ?? startCursor, limit, maxResponseBytes });
  };
