import type { RejectionCode } from '../domain/rejections.ts';

const CORRECT = 'Correct the request as the message says; the same request is refused again.';
const WAIT = 'Wait for as long as `Retry-After` says, then send the same request again.';
const LATER = 'Send the same request again after a pause that grows from attempt to attempt.';
const PAY = 'Ask the operator about the plan of the account.';
const TELL = 'Tell the operator the request id; sending it again helps only if the cause was brief.';

/** Remedies for refusals. */
export const REMEDIES: Readonly<Record<RejectionCode, string>> = {
  invalid_parameter: CORRECT,
  invalid_input: CORRECT,
  unauthorized:
    'Send a key that is current as `Authorization: Bearer KEY`; ask the operator for another one where it has expired or was revoked.',
  forbidden: 'Ask the operator for a key with the scope that the operation names.',
  not_found:
    'Check the id and the path. What was removed from the feed is not found either; a snapshot is kept for a limited time, so take another one.',
  cursor_expired:
    'Take a new snapshot, copy its pages, and continue with the changes after its `boundaryCursor`. Keep the former copy until the new one is complete.',
  request_too_large: 'Send less at once: fewer ids in a batch, or a shorter text.',
  response_too_large: 'Ask for less at once: a smaller `limit`, or fewer ids.',
  rate_limited: WAIT,
  internal_error: TELL,
  authentication_unavailable: LATER,
  feed_unavailable: LATER,
  timeout:
    'Send the same request again: a write that was stored is found. Where a read fails again, ask for less at once.',
  mcp_prelaunch: 'Use the tool endpoint, `POST /api/v1/mcp`.',
  billing_channel_unset: PAY,
  billing_entitlement_required: PAY,
  feed_subscription_plan_required:
    'Read the changes with a cursor of your own, which every plan allows, or ask the operator about Pro and Ultra.',
  feed_subscription_conflict: 'Take another name, or revoke the live subscription of this name first.',
  feed_subscription_limit_reached:
    'Revoke a subscription that is no longer used, or ask the operator about a larger plan.',
  report_not_found: 'Check the id of the report: it was in the receipt. Reports of other accounts are not found.',
  replay_conflict: 'Take a new idempotency key for another input; send the first input again to get its receipt.',
  submit_rate_limited: WAIT,
  status_rate_limited: WAIT,
  report_limit_reached: 'Wait until a report is closed or the day of UTC is over, then send it again.',
  access_denied: 'Ask the operator which tools the key and its account may use.',
  queue_unavailable: LATER,
  budget_exhausted: 'Send it again after the end of the day of UTC.',
  intake_paused: LATER,
  worker_paused: LATER,
  lease_conflict: LATER,
  state_conflict: 'Read the report again, and decide by its current content.',
  invalid_transition: 'Read the report again, and decide by its current content.',
  resolution_incomplete: 'State a finding; to close it as resolved, name the verified record.',
  service_unavailable: LATER,
};
