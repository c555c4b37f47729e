import type { Allowances } from './allowances.ts';
import type { Bucket } from './ports/window-counts.ts';

const bucket = (name: string, limit: number, seconds: number): Bucket => ({ name, limit, seconds });

export const minuteBucket = ({ requestsPerMinute }: Pick<Allowances, 'requestsPerMinute'>): Bucket =>
  bucket('api-customer-minute', requestsPerMinute, 60);
export const burstBucket = ({ burstLimit }: Pick<Allowances, 'burstLimit'>): Bucket => bucket('api-customer-burst', burstLimit, 1);
export const exportBucket = ({ exportRequestsPerHour }: Pick<Allowances, 'exportRequestsPerHour'>): Bucket =>
  bucket('api-customer-export-hour', exportRequestsPerHour, 3600);
