import { Rejection, type RejectionCode } from '../domain/rejections.ts';
import { isReportPath } from './customer-paths.ts';

/** What the report envelope calls a refusal that other operations know by another code, and its status where that is one of its own. */
const IN_REPORTS: Partial<Readonly<Record<RejectionCode, { readonly code: RejectionCode; readonly status?: number }>>> = {
  invalid_parameter: { code: 'invalid_input' },
  request_too_large: { code: 'invalid_input', status: 413 },
  feed_unavailable: { code: 'authentication_unavailable' },
  timeout: { code: 'service_unavailable' },
};

/** A refusal in the words of the operation that the request target is one of. `status` is left out where it is the code's own. */
export const refusalFor = (target: string, rejection: Rejection): { readonly rejection: Rejection; readonly status?: number } => {
  const worded = isReportPath(target) ? IN_REPORTS[rejection.code] : undefined;
  if (worded === undefined) return { rejection };
  const { code, ...status } = worded;
  const { message, details, retryAfterSeconds } = rejection;
  const extra = { ...(details === undefined ? {} : { details }), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return { rejection: new Rejection(code, message, extra), ...status };
};
