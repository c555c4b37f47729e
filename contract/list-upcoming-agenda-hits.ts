import { z } from 'zod';
import { MAX_UPCOMING_CURSOR_LENGTH, UPCOMING_PAGE_SIZE } from '../domain/cursor.ts';
import { aliasOf, answerWithMeta, component, count, MEANINGS, nonEmptyName, wholeNumber } from './fields.ts';
import { EMPTY_PROVES_NOTHING, operation, PUBLIC_READ } from './operation.ts';
import { upcomingAgendaHit } from './public-agenda-hit.ts';
import { UPCOMING_HIT } from './examples.ts';

const LAST_PAGE = 100;
const upcomingCursor = z.string().min(1).max(MAX_UPCOMING_CURSOR_LENGTH);
const next = upcomingCursor.nullable().describe(MEANINGS.nextCursor);
const totalCount = count.describe('Hits on all pages.');
const PAGE = 'Number of the page in the legacy form; not together with `cursor`.';

/** Requires a topic; the query checks whether it is covered. */
const query = z
  .strictObject({
    topicSlug: nonEmptyName.describe(MEANINGS.topicSlug).optional(),
    topic: aliasOf('topicSlug'),
    cursor: upcomingCursor.describe(MEANINGS.cursor).optional(),
    page: wholeNumber(1, LAST_PAGE).describe(PAGE).optional(),
    count: z
      .literal('true', { error: 'only true is allowed' })
      .meta({
        wire: { type: 'boolean', enum: [true] },
        description: 'Adds `totalCount` to the cursor form; only `true` is allowed.',
      })
      .optional(),
  })
  .refine(({ topicSlug, topic }) => (topicSlug ?? topic) !== undefined, { error: 'is required', path: ['topicSlug'] })
  .refine(({ cursor, page }) => cursor === undefined || page === undefined, {
    error: 'must not be sent with page',
    path: ['cursor'],
  })
  .transform(({ topicSlug, topic, cursor, page, count }) => ({
    topicSlug: (topicSlug ?? topic)!,
    cursor,
    page,
    count: count !== undefined,
  }));

const hits = z.array(upcomingAgendaHit).max(UPCOMING_PAGE_SIZE).describe('Agenda hits, by the time of their meetings.');

const upcomingByCursor = component('UpcomingByCursor', { hits, nextCursor: next, totalCount: totalCount.optional() });

const upcomingByPage = component('UpcomingByPage', {
  hits,
  totalCount,
  page: z.int().min(1).max(LAST_PAGE).describe(PAGE),
  pageSize: z.literal(UPCOMING_PAGE_SIZE).describe('Hits on a full page.'),
});

/** Always present; the cursor is null if pages are numbered. */
const upcomingPagination = z
  .strictObject({
    limit: z.literal(UPCOMING_PAGE_SIZE).describe(MEANINGS.limit),
    returned: count.max(UPCOMING_PAGE_SIZE).describe(MEANINGS.returned),
    nextCursor: next,
  })
  .meta({ id: 'UpcomingPagination', closed: true });

export const upcomingAgendaHits = answerWithMeta(
  'UpcomingAgendaHits',
  z.union([upcomingByCursor, upcomingByPage]),
  z.strictObject({ pagination: upcomingPagination.describe(MEANINGS.pagination) }),
);

const ONE_HIT_PAGE = { limit: 10, returned: 1, nextCursor: null };

export const listUpcomingAgendaHits = operation({
  ...PUBLIC_READ,
  operationId: 'listUpcomingAgendaHits',
  path: '/api/v1/public/upcoming-agenda-hits',
  summary: 'List agenda hits of upcoming meetings',
  description: `Hits of one covered topic at meetings from now on, by meeting time, then time of classification, then id. Send \`topicSlug\`
(or its legacy name \`topic\`; the former wins); a topic that is missing or not covered is 400.

Without \`page\` the answer is the cursor form: go on with \`nextCursor\` until it is null. With \`page\` it is the legacy page form. \`cursor\` and
\`page\` together are 400. The cursor is bound to no topic. ${EMPTY_PROVES_NOTHING}`,
  example: {
    parameters: { topicSlug: 'data-centers', count: true },
    success: {
      cursor: {
        summary: 'Cursor form, the last page, with the count',
        value: { data: { hits: [UPCOMING_HIT], nextCursor: null, totalCount: 1 }, meta: { pagination: ONE_HIT_PAGE } },
      },
      page: {
        summary: 'Legacy page form',
        value: {
          data: { hits: [UPCOMING_HIT], totalCount: 1, page: 1, pageSize: 10 },
          meta: { pagination: ONE_HIT_PAGE },
        },
      },
    },
  },
  query,
  success: { status: 200, schema: upcomingAgendaHits },
});
