import { z } from 'zod';
import { uuid } from '../records/fields.ts';

/** The log's first event gives the feed its identity; a restored log appends a new one, and cursors of the old identity are refused. */
export const FEED_OPENED = 'FeedOpened';
export const feedOpened = z.strictObject({ feedId: uuid, reason: z.enum(['created', 'restored']) });
export type FeedOpened = z.output<typeof feedOpened>;

/** A shipped set of records has been written whole; a finished one is never written again. */
export const SEED_FINISHED = 'SeedFinished';
export const seedFinished = z.strictObject({ name: z.string(), version: z.int().min(1), records: z.int().min(0) });
export type SeedFinished = z.output<typeof seedFinished>;

/** An operator's decision that a projection leaves out an event that it cannot fold; every rebuild honours it. */
export const PROJECTION_EVENT_SKIPPED = 'ProjectionEventSkipped';
export const projectionEventSkipped = z.strictObject({ projection: z.string(), eventId: uuid, reason: z.string() });

/** The reason of a new identity of the feed; appended together with its `FeedOpened`. */
export const FEED_RENEWED = 'FeedRenewed';
export const feedRenewed = z.strictObject({ feedId: uuid, previousFeedId: uuid, reason: z.string().min(1).max(1000) });
export type FeedRenewed = z.output<typeof feedRenewed>;
