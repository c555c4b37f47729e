import { z } from 'zod';

const time = z.iso.datetime();
const count = z.number().int().nonnegative();
const seconds = z.number().nonnegative();
/** A second's worth; null until it has been measured. */
const perSecond = z.number().nonnegative().nullable();

const follower = {
  name: z.string(),
  /** Events behind the head of the log; null where the log cannot count. */
  lagEvents: count.nullable(),
  lagSeconds: seconds,
  rate: perSecond,
  owner: z.string().nullable(),
  reason: z.string().nullable(),
  poisonEvent: z.string().nullable(),
};

const projection = z.object({
  ...follower,
  state: z.enum(['live', 'paused', 'stopped']),
  /** Events of the log that it has passed; null where the log cannot count. */
  eventsRead: count.nullable(),
});

const rebuild = z.object({
  name: z.string(),
  generation: count,
  state: z.enum(['building', 'scratch', 'paused', 'refused', 'operator_paused', 'ready']),
  done: count,
  of: count,
  rate: perSecond,
  secondsLeft: seconds.nullable(),
  owner: z.string().nullable(),
  reason: z.string().nullable(),
});

const reactor = z.object({ ...follower, state: z.enum(['live', 'paused', 'stopped']), handled: count });

const badSource = z.object({
  sourceId: z.string(),
  place: z.string(),
  sourceType: z.string(),
  status: z.string(),
  consecutiveFailures: count,
  lastSuccessAt: time.nullable(),
});

const shared = z.object({
  /** When this was read. */
  at: time,
  log: z.object({ position: z.union([count, z.string()]), perSecond }),
  feed: z.object({ position: count, perSecond }),
  projections: z.array(projection),
  rebuilds: z.array(rebuild),
  reactors: z.array(reactor),
  /** Of 100,000 and more no more is counted. */
  snapshots: count,
  subscriptions: count,
  openReports: count,
  sources: z.object({
    byStatus: z.array(z.object({ status: z.string(), count })),
    bad: z.array(badSource),
    /** Bad ones beyond those listed. */
    more: count,
  }),
  payments: z.array(z.object({ state: z.string(), count })),
  /** Losses of history that no operator has acknowledged. */
  setBacks: z.array(z.object({ held: z.string(), head: z.string(), noticedAt: time })),
});

const process = z.object({
  role: z.string(),
  version: z.string(),
  pid: count,
  uptimeSeconds: seconds,
  residentBytes: count,
  heapBytes: count,
  /** Longest delay of the event loop over the last seconds. */
  stalledSeconds: seconds,
  requestsPerSecond: perSecond,
  /** 95 of 100 answers of the last minute took at most this; null without one. */
  p95Seconds: seconds.nullable(),
  refusals: z.array(z.object({ code: z.string(), count })),
  /** How far back the refusals are counted. */
  refusalsSpanSeconds: seconds,
});

const problem = z.object({ severity: z.enum(['failing', 'attention']), text: z.string() });

/** What `GET /ops/state` answers, and what the page at `/ops` shows. */
export const opsState = z.object({
  at: time,
  /** Worst first; none is "all well". */
  problems: z.array(problem),
  database: z.object({ state: z.enum(['answers', 'slow', 'hangs', 'unreachable', 'log-unreachable']), since: time.nullable() }),
  /** Of the database, the same in every process; the last that could be read, null before the first. */
  shared: shared.nullable(),
  /** Of this process alone. */
  process,
});
export type OpsState = z.output<typeof opsState>;
export type Problem = z.output<typeof problem>;
export type Shared = z.output<typeof shared>;
export type OfProcess = z.output<typeof process>;
