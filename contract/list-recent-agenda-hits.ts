import { z } from 'zod';
import { aliasOf, answerWithMeta, MEANINGS, nonEmptyName, openMeta, pageSize } from './fields.ts';
import { EMPTY_PROVES_NOTHING, operation, PUBLIC_READ } from './operation.ts';
import { publicAgendaHit } from './public-agenda-hit.ts';
import { HIT } from './examples.ts';

export const MAX_RECENT_HITS = 3;

/** Normalized names take precedence over their aliases; both are checked. */
const query = z
  .strictObject({
    jurisdictionSlug: nonEmptyName.describe(MEANINGS.jurisdictionSlug).optional(),
    jurisdiction: aliasOf('jurisdictionSlug'),
    topicSlug: nonEmptyName.describe(MEANINGS.topicSlug).optional(),
    topic: aliasOf('topicSlug'),
    excludeTopicSlug: nonEmptyName.describe('Topic whose hits are left out.').optional(),
    excludeTopic: aliasOf('excludeTopicSlug'),
    limit: pageSize(MAX_RECENT_HITS, MAX_RECENT_HITS),
  })
  .transform(({ jurisdictionSlug, jurisdiction, topicSlug, topic, excludeTopicSlug, excludeTopic, limit }) => ({
    jurisdictionSlug: jurisdictionSlug ?? jurisdiction,
    topicSlug: topicSlug ?? topic,
    excludeTopicSlug: excludeTopicSlug ?? excludeTopic,
    limit,
  }));

export const recentAgendaHits = answerWithMeta(
  'RecentAgendaHits',
  z.array(publicAgendaHit).max(MAX_RECENT_HITS),
  openMeta,
);

export const listRecentAgendaHits = operation({
  ...PUBLIC_READ,
  operationId: 'listRecentAgendaHits',
  path: '/api/v1/public/agenda-hits',
  summary: 'List the most recent agenda hits',
  description: `At most three agenda hits of the covered public bodies, the latest classified first. There is no further page.
When the records cannot be read the list is empty and the status is still 200. ${EMPTY_PROVES_NOTHING}`,
  example: {
    parameters: { topicSlug: 'data-centers', limit: 3 },
    success: { hits: { summary: 'One hit', value: { data: [HIT] } } },
  },
  query,
  success: { status: 200, schema: recentAgendaHits },
});
