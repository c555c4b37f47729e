import { type OperationId, OPERATIONS } from '../../contract/operations.ts';
import type { KeyOperation } from '../../src/edge/http/admission-hooks.ts';
import { errorEnvelope, STATUSES } from '../../contract/error-codes.ts';
import type { RejectionCode } from '../../domain/rejections.ts';
import type { Disturbances, Touched } from './disturbances.ts';

/** The result of one request: an answer, or none (`silent`: not within the client's timeout). */
export type Outcome =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly headers: Headers }
  | { readonly kind: 'none'; readonly how: 'refused' | 'broken' | 'silent'; readonly why: string };

export interface SoakRequest {
  readonly operation: OperationId;
  /** The process that received the request. */
  readonly member: string;
  readonly from: number;
  readonly to: number;
}

/** Refusals that report a temporary failure. */
const PASSING: ReadonlySet<RejectionCode> = new Set([
  'feed_unavailable',
  'authentication_unavailable',
  'service_unavailable',
  'timeout',
]);
/** Allowances that the soak does not raise. */
const RATES: ReadonlySet<RejectionCode> = new Set([
  'submit_rate_limited',
  'status_rate_limited',
  'report_limit_reached',
]);
/** Operations that append, and wait for others to append and fold. */
const WAITS: ReadonlySet<OperationId> = new Set([
  'createCivicSnapshot',
  'createFeedSubscription',
  'revokeFeedSubscription',
  'submitDataReport',
  'getDataReport',
  'postMcpJsonRpc',
]);

export type Verdict = 'good' | 'again' | { readonly wrong: string };

/** Classifies an answer: a success, a refusal of the closed list that a fault explains, or wrong. */
export function judgeAnswer(request: SoakRequest, outcome: Outcome, disturbances: Disturbances): Verdict {
  const { operation, member, from, to } = request;
  const process: Touched = `process ${member}`;
  if (outcome.kind === 'none') {
    if (disturbances.during(from, to, [process])) return 'again';
    return {
      wrong: `${operation} at ${member} was ${outcome.how} (${outcome.why}) and nobody had touched that process`,
    };
  }
  const { status, text, headers } = outcome;
  const definition = OPERATIONS[operation] as KeyOperation;
  const description = `${operation} at ${member} answered ${status} ${text.slice(0, 300)}`;
  if (headers.get('cache-control') !== 'no-store') return { wrong: `${description}, without no-store` };
  if ((headers.get('retry-after') !== null) !== (status === 429))
    return { wrong: `${description}, with the wrong Retry-After` };
  if (
    status === definition.success.status ||
    (status < 300 && definition.otherAnswers?.some((other) => other.status === status))
  )
    return 'good';
  const envelope = errorEnvelope.safeParse(parsed(text));
  if (!envelope.success) return { wrong: `${description}, which is no envelope` };
  const { code } = envelope.data.error;
  if (!definition.refusals.includes(code) || STATUSES[code] !== status)
    return { wrong: `${description}, which it has no right to` };
  if (RATES.has(code) || isBusySearch(operation, envelope.data.error)) return 'again';
  if (!PASSING.has(code)) return { wrong: description };
  const near: readonly Touched[] = ['database', process, `link ${member}`];
  if (disturbances.during(from, to, WAITS.has(operation) ? undefined : near)) return 'again';
  return { wrong: `${description}, and nothing was disturbed` };
}

/** A search may wait longer on a busy machine than its account is allowed to. */
const isBusySearch = (
  operation: OperationId,
  { code, message }: { readonly code: RejectionCode; readonly message: string },
): boolean => operation === 'postMcpJsonRpc' && code === 'rate_limited' && message.includes('searches of this account');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
