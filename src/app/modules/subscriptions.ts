import { createSubscriptionChanges } from '../../../commands/subscriptions/change-subscriptions.ts';
import type {
  JsonPage,
  ListSubscriptionsInput,
  MadeSubscription,
  NewSubscriptionInput,
  RevocationInput,
  SubscriptionChangesInput,
} from '../../../contract/inputs.ts';
import type { FeedSubscriptions } from '../../../contract/list-feed-subscriptions.ts';
import { SUBSCRIPTION_CAPS } from '../../../domain/plans.ts';
import { uuid } from '../../../domain/records/fields.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { limitPage, identifyCaller } from '../../edge/admission/admit.ts';
import { asData, type CustomerAnswers, type Exchange } from '../../edge/answers/exchange.ts';
import type { FeedFunctions } from './feed.ts';
import { resolveWithin } from '../../../plumbing/retry.ts';
import { subscriptions as readModel } from '../../../projections/subscriptions/projection.ts';
import {
  createListFeedSubscriptions,
  createReadFeedSubscriptionChanges,
  findRevocation,
} from '../../../queries/feed/feed-subscriptions.ts';
import { readHighWaterMark } from '../../../queries/feed/feed-head.ts';
import { readModelAnswers } from '../../../queries/live-tables.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

export interface SubscriptionFunctions {
  readonly createFeedSubscription: (input: NewSubscriptionInput) => Promise<MadeSubscription>;
  readonly listFeedSubscriptions: (input: ListSubscriptionsInput) => Promise<FeedSubscriptions>;
  readonly readFeedSubscriptionChanges: (input: SubscriptionChangesInput) => Promise<JsonPage>;
  readonly revokeFeedSubscription: (
    input: RevocationInput,
  ) => Promise<{ readonly id: string; readonly revokedAt: string }>;
}

export const subscriptionOperations = (functions: SubscriptionFunctions) =>
  ({
    createFeedSubscription: async (exchange) => {
      const created = await functions.createFeedSubscription({
        ...exchange.body,
        ...identifyCaller(exchange),
        cap: capOf(exchange),
      });
      return { ...asData(created.subscription), status: created.created ? 201 : 200 };
    },
    listFeedSubscriptions: async (exchange) =>
      asData(await functions.listFeedSubscriptions({ ...identifyCaller(exchange), cap: capOf(exchange) })),
    readFeedSubscriptionChanges: async (exchange) =>
      functions.readFeedSubscriptionChanges({
        ...exchange.query,
        ...parseSubscriptionId(exchange),
        ...limitPage(exchange),
      }),
    revokeFeedSubscription: async (exchange) =>
      asData(await functions.revokeFeedSubscription(parseSubscriptionId(exchange))),
  }) satisfies Partial<CustomerAnswers>;

function capOf({ principal }: Pick<Exchange, 'principal'>): number {
  return SUBSCRIPTION_CAPS[principal.billing.tier];
}

/** Rejects an id that is not a uuid: no subscription has it. */
function parseSubscriptionId(
  exchange: Pick<Exchange, 'principal' | 'requestId'> & { readonly params: { readonly subscriptionId: string } },
) {
  const parsed = uuid.safeParse(exchange.params.subscriptionId);
  if (!parsed.success) throw new Rejection('not_found', 'a subscription id is a uuid');
  return { ...identifyCaller(exchange), subscriptionId: parsed.data };
}

/** `readChanges` reads a page of the feed. */
export function subscriptions(platform: Platform, readChanges: FeedFunctions['readCivicChanges']) {
  const { log, checkpoints, clock, identifiers, reads, progress, deadlineMs } = platform;
  const changes = createSubscriptionChanges({
    log,
    checkpoints,
    clock,
    identifiers,
    readMark: async () => (await Promise.all([readHighWaterMark(reads), readModelAnswers(reads, readModel.name)]))[0],
    visible: (position, deadline) => progress.waitFor(readModel.name, position, deadline),
    revokedBefore: (revocation) => findRevocation(reads, revocation),
    deadlineMs,
  });
  const readSubscriptionChanges = createReadFeedSubscriptionChanges({ reads, readChanges });
  return {
    operations: subscriptionOperations({
      createFeedSubscription: (input) => resolveWithin(clock, deadlineMs, (over) => changes.create(input, over)),
      listFeedSubscriptions: createListFeedSubscriptions({ reads, clock }),
      readFeedSubscriptionChanges: (input) => resolveWithin(clock, deadlineMs, () => readSubscriptionChanges(input)),
      revokeFeedSubscription: (input) => resolveWithin(clock, deadlineMs, () => changes.revoke(input)),
    }),
  } satisfies Module;
}
