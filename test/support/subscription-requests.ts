import { expect } from 'vitest';
import { createFeedSubscription } from '../../contract/create-feed-subscription.ts';
import type { FeedSubscription } from '../../contract/feed-subscription.ts';
import { type FeedSubscriptions, listFeedSubscriptions } from '../../contract/list-feed-subscriptions.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { readSubscriptionEvent, type SubscriptionEvent } from '../../domain/events/account-events.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import { accountFeedsStream } from '../../domain/streams.ts';
import type { ServedCivic } from './served-civic.ts';

export const createFeed = (served: ServedCivic, secret: string, body: unknown): Promise<Response> =>
  served.ask('POST', '/subscriptions', secret, { body });

/** A subscription that must be new (201) or must be there already (200). */
export async function feedOf(answer: Response | Promise<Response>, status: 200 | 201 = 201): Promise<FeedSubscription> {
  const response = await answer;
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toMatchObject({ status });
  expect(response.headers.get('cache-control')).toBe('no-store');
  return createFeedSubscription.success.schema.parse(body).data;
}

export const newFeed = (
  served: ServedCivic,
  secret: string,
  name: string,
  resource: Resource | null = null,
): Promise<FeedSubscription> => feedOf(createFeed(served, secret, { name, resource }));

export async function listFeeds(served: ServedCivic, secret: string): Promise<FeedSubscriptions> {
  const response = await served.ask('GET', '/subscriptions', secret);
  expect(response.status).toBe(200);
  return listFeedSubscriptions.success.schema.parse(await response.json()).data;
}

export const pollFeed = (served: ServedCivic, secret: string, id: string, query = ''): Promise<Response> =>
  served.ask('GET', `/subscriptions/${id}/changes${query}`, secret);

export const revokeFeed = (served: ServedCivic, secret: string, id: string, raw: RequestInit = {}): Promise<Response> =>
  served.ask('DELETE', `/subscriptions/${id}`, secret, { raw });

/** The events of an account's subscriptions. */
export const eventsOfFeeds = async (
  served: Pick<ServedCivic, 'civic'>,
  accountId: string,
): Promise<readonly SubscriptionEvent[]> =>
  (await served.civic.log.readStream(accountFeedsStream(accountId), NO_STREAM, 1_000)).map(readSubscriptionEvent);
