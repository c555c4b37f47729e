import { z } from 'zod';
import { subscriptionParams } from './feed-subscription.ts';
import { cursor, limit } from './fields.ts';
import { operation, PAGE_FORMS, SUBSCRIPTION_ACCESS } from './operation.ts';
import { changesPage, PAGES } from './read-civic-changes.ts';
import { CURSOR, SUBSCRIPTION_ID } from './examples.ts';

export const readFeedSubscriptionChanges = operation({
  ...SUBSCRIPTION_ACCESS,
  operationId: 'readFeedSubscriptionChanges',
  method: 'GET',
  path: '/api/v1/data/subscriptions/{subscriptionId}/changes',
  summary: 'Poll a subscription',
  description: `As the change feed, with the filter of the subscription. Left out, \`cursor\` is the feed's start cursor: leave it out only the first
time, never to skip what was not read. The server keeps no acknowledgement. A feed that is unknown, revoked, another account's or another key's is
404, and so is an id that is no uuid. An expired position (410) is recovered from by a snapshot's \`boundaryCursor\`; it needs no new feed.`,
  example: { parameters: { subscriptionId: SUBSCRIPTION_ID, cursor: CURSOR, limit: 100 }, success: PAGES },
  params: subscriptionParams,
  query: z.strictObject({ cursor: cursor.optional(), limit }),
  success: { status: 200, schema: changesPage, forms: PAGE_FORMS },
  refusals: [...SUBSCRIPTION_ACCESS.refusals, 'not_found', 'cursor_expired'],
});
