import type { Bucket } from './ports/counts.ts';

/** Limits of one account, shared by all of its keys. */
export interface Allowances {
  readonly requestsPerMinute: number;
  /** Requests a second. */
  readonly burstLimit: number;
  readonly exportRequestsPerHour: number;
  readonly maxPageSize: number;
  /** Bytes of a serialized response body, before compression. */
  readonly maxResponseBytes: number;
}

/** `default` is for every account without a current paid period, and for one that is paid through on no tier. */
export const PLAN_NAMES = ['default', 'pro', 'ultra'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];
export type Plans = Readonly<Record<PlanName, Allowances>>;

/** So many requests in so many seconds, in windows aligned to the clock. */
interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Ceiling for every plan: each request counts, also a refused one. */
export interface AbuseCeiling {
  readonly sustained: Rate;
  readonly burst: Rate;
}

/** Counted each by itself: at the perimeter, once a key of any operation is known, and at the operation's own handling, behind it. */
export interface AbuseCeilings {
  readonly perimeter: AbuseCeiling;
  readonly handler: AbuseCeiling;
}

const bucket = (name: string, limit: number, seconds: number): Bucket => ({ name, limit, seconds });

export const minuteBucket = ({ requestsPerMinute }: Pick<Allowances, 'requestsPerMinute'>): Bucket =>
  bucket('api-customer-minute', requestsPerMinute, 60);
export const burstBucket = ({ burstLimit }: Pick<Allowances, 'burstLimit'>): Bucket => bucket('api-customer-burst', burstLimit, 1);
export const exportBucket = ({ exportRequestsPerHour }: Pick<Allowances, 'exportRequestsPerHour'>): Bucket =>
  bucket('api-customer-export-hour', exportRequestsPerHour, 3600);
