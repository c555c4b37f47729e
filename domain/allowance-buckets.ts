import type { Allowances } from './allowances.ts';
import type { Bucket } from './ports/window-counts.ts';

/** The buckets of an account. */
export const minuteBucket = ({ requestsPerMinute }: Pick<Allowances, 'requestsPerMinute'>): Bucket => ({
  name: 'api-customer-minute',
  limit: requestsPerMinute,
  seconds: 60,
});

export const burstBucket = ({ burstLimit }: Pick<Allowances, 'burstLimit'>): Bucket => ({
  name: 'api-customer-burst',
  limit: burstLimit,
  seconds: 1,
});

export const exportBucket = ({ exportRequestsPerHour }: Pick<Allowances, 'exportRequestsPerHour'>): Bucket => ({
  name: 'api-customer-export-hour',
  limit: exportRequestsPerHour,
  seconds: 3600,
});
