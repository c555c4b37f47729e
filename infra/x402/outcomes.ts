import type { SettleResponse, VerifyResponse } from '@x402/core/types';
import type { Settlement, Verification } from '../../domain/ports/payments.ts';
import { type SignedPayment, transactionHash } from '../../domain/payments/payment.ts';

/** A facilitator's reasons come from outside: one of x402's words, or none. */
export const reasonWord = (reason: string | undefined): string =>
  reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) && !/^0x|[0-9a-f]{32}/.test(reason) ? reason : 'unrecognised';

const EXPIRED: ReadonlySet<string> = new Set(['invalid_exact_evm_payload_authorization_valid_before', 'payment_expired']);

const isPayer = (payer: string | undefined, payment: SignedPayment): boolean =>
  payer === undefined || payer.toLowerCase() === payment.authorization.from;

/** What a verification says. A facilitator that speaks of another payer has not verified this payment. */
export function verification({ isValid, invalidReason, payer }: VerifyResponse, payment: SignedPayment): Verification {
  if (!isPayer(payer, payment)) return { kind: 'unavailable', reason: 'another_payer' };
  if (isValid) return { kind: 'valid' };
  const reason = reasonWord(invalidReason);
  return { kind: 'refused', reason, expired: EXPIRED.has(reason) };
}

/** Refusals that come before anything is sent to the chain. Not among them: a used nonce and a failed simulation, which an earlier success causes too. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'asset_not_deployed_contract',
  'insufficient_funds',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_payload_type',
  'unsupported_scheme',
]);

/** The chain has executed the transaction and reverted it; the library says no more than this of it, and adds a message to everything else. */
const REVERTED: ReadonlySet<string> = new Set(['invalid_exact_evm_transaction_failed', 'invalid_transaction_state']);

/** What a settlement says. Whatever is not certain is unknown: money is never taken for granted, in either direction. */
export function settlement(response: SettleResponse, payment: SignedPayment): Settlement {
  const hash = transactionHash.safeParse(response.transaction);
  const transaction = hash.success ? hash.data : null;
  if (response.success) {
    const { network, amount, payer } = response;
    const same =
      network === payment.accepted.network && isPayer(payer, payment) && (amount ?? payment.accepted.amount) === payment.accepted.amount;
    if (transaction !== null && same) return { kind: 'settled', transaction };
    return { kind: 'unknown', reason: 'success_of_another_payment', transaction: null };
  }
  const reason = reasonWord(response.errorReason);
  const reverted = transaction !== null && REVERTED.has(reason) && response.errorMessage === undefined;
  const notSent = response.transaction === '' && BEFORE_SENDING.has(reason);
  return { kind: reverted || notSent ? 'refused' : 'unknown', reason, transaction };
}
