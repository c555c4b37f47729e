import { z } from 'zod';
import type { Allowances, Plans } from '../../../domain/plans.ts';

const DEFAULT: Allowances = {
  requestsPerMinute: 120,
  burstLimit: 30,
  exportRequestsPerHour: 12,
  maxPageSize: 500,
  maxResponseBytes: 5_000_000,
};

/** Allowances of the default account and of the two paid tiers. */
export const BUILT_IN_PLANS: Plans = {
  default: DEFAULT,
  pro: { ...DEFAULT, requestsPerMinute: 300, burstLimit: 50, exportRequestsPerHour: 24 },
  ultra: { ...DEFAULT, requestsPerMinute: 900, burstLimit: 90, exportRequestsPerHour: 60 },
};

const figure = (max: number) => z.int().min(1).max(max).optional();

/** Missing values default to the built-in plan. */
const allowances = (built: Allowances) =>
  z
    .strictObject({
      requests_per_minute: figure(1_000_000_000),
      burst_limit: figure(1_000_000_000),
      export_requests_per_hour: figure(1_000_000_000),
      max_page_size: figure(500),
      max_response_bytes: figure(100_000_000),
    })
    .prefault({})
    .transform(
      (configured): Allowances => ({
        requestsPerMinute: configured.requests_per_minute ?? built.requestsPerMinute,
        burstLimit: configured.burst_limit ?? built.burstLimit,
        exportRequestsPerHour: configured.export_requests_per_hour ?? built.exportRequestsPerHour,
        maxPageSize: configured.max_page_size ?? built.maxPageSize,
        maxResponseBytes: configured.max_response_bytes ?? built.maxResponseBytes,
      }),
    );

const plans = z.strictObject({
  default: allowances(BUILT_IN_PLANS.default),
  pro: allowances(BUILT_IN_PLANS.pro),
  ultra: allowances(BUILT_IN_PLANS.ultra),
});

const plansText = z.string().transform((text, context): Plans => {
  try {
    return plans.parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: 'custom', message: 'not plans' });
    return z.NEVER;
  }
});
export const plansSetting = plansText.meta({
  allowed:
    'JSON such as {"default":{"requests_per_minute":120,"burst_limit":30,"export_requests_per_hour":12,"max_page_size":500,"max_response_bytes":5000000},"pro":{…},"ultra":{…}}, every part of it optional, whole numbers of at least 1, pages at most 500',
});
