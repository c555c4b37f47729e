import { type AccountEvent, readAccountEvent } from '../../domain/events/account-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { PaymentLease, PaymentPorts, PaymentRow } from '../../domain/ports/payments.ts';
import { hasEnded, isNotBilled, PAYMENT_LEASE_MS } from '../../domain/payments/payment.ts';
import { accountStream } from '../../domain/streams.ts';
import type { Decider } from '../decider.ts';
import { handle } from '../handle.ts';

export function newPaymentLease({ identifiers, chainClock }: PaymentPorts): PaymentLease {
  const now = chainClock.now();
  return { owner: identifiers.next(), now, until: now + PAYMENT_LEASE_MS };
}

type FactKind = 'verified' | 'outcome';
type PaymentFact = Extract<
  AccountEvent,
  { type: 'AccountPaymentVerified' | 'AccountPaymentSettled' | 'AccountPaymentFailed' }
>;

/**
 * Publishes facts of the ledger, which hold whatever the stream contains: nothing is decided, and events before the
 * creation of the row are not read.
 */
const factPublisher = {
  initialState: () => null,
  decide: (fact: PaymentFact) => [fact],
  evolve: () => null,
  read: readAccountEvent,
  schemaVersion: 1,
} satisfies Decider<null, PaymentFact, AccountEvent>;

function unpublishedFacts(row: PaymentRow): readonly { readonly kind: FactKind; readonly fact: PaymentFact }[] {
  const { paymentId, amount, requestHash, termsHash, cause, state } = row;
  const facts: { kind: FactKind; fact: PaymentFact }[] = [];
  if (!row.verifiedPublished && state !== 'RESERVED') {
    facts.push({
      kind: 'verified',
      fact: { type: 'AccountPaymentVerified', data: { paymentId, amount, requestHash, termsHash } },
    });
  }
  if (row.outcomePublished || !hasEnded(state)) return facts;
  if (isNotBilled(state)) {
    const data = { paymentId, amount, requestHash, outcome: state, cause };
    facts.push({ kind: 'outcome', fact: { type: 'AccountPaymentFailed', data } });
  } else {
    const settled = {
      resultHash: row.resultHash!,
      transaction: row.transaction!,
      settledAt: new Date(row.settledAt!).toISOString(),
    };
    const data = { paymentId, amount, requestHash, ...settled };
    facts.push({ kind: 'outcome', fact: { type: 'AccountPaymentSettled', data } });
  }
  return facts;
}

const DEADLINE_MS = 10_000;

/**
 * Appends each fact once, even with concurrent callers. Throws what the log or the ledger throws; a later call appends
 * the rest.
 */
export async function publishPaymentFacts(
  parts: Pick<PaymentPorts, 'log' | 'clock' | 'ledger'>,
  row: PaymentRow,
): Promise<void> {
  const { accountId, keyId, paymentId, createdAt } = row;
  for (const { kind, fact } of unpublishedFacts(row)) {
    await handle({
      log: parts.log,
      clock: parts.clock,
      decider: factPublisher,
      stream: accountStream(accountId),
      after: row.factsAfter,
      command: fact,
      // A row that was deleted and created again is another use of the same payment; the creation time distinguishes
      // the two.
      commandId: derivedId('payment fact', paymentId, createdAt, kind),
      context: { accountId, keyId },
      deadline: parts.clock.now() + DEADLINE_MS,
    });
    await parts.ledger.markPublished(paymentId, kind);
  }
}
