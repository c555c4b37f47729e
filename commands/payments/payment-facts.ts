import type { AccountEvent } from '../../src/domain/events/account-events.ts';
import { readAccountEvent } from '../../src/domain/events/read-account-event.ts';
import { derivedId } from '../../src/domain/identifiers.ts';
import type { Clock } from '../../src/domain/ports/clock.ts';
import type { EventLog } from '../../src/domain/ports/event-log.ts';
import type { PaymentLedger, PaymentRow } from '../../src/domain/ports/payment-ledger.ts';
import { hasEnded, isNotBilled } from '../../src/domain/payments/payment-states.ts';
import { accountStream } from '../../src/domain/streams.ts';
import type { Decider } from '../decider.ts';
import { handle } from '../handle.ts';

type Told = 'verified' | 'outcome';
type PaymentFact = Extract<AccountEvent, { type: 'AccountPaymentVerified' | 'AccountPaymentSettled' | 'AccountPaymentFailed' }>;

/** A fact of the ledger is true whatever the account's history says: nothing is decided, and nothing before the row's own time is read. */
const factTeller = {
  initialState: () => null,
  decide: (fact: PaymentFact) => [fact],
  evolve: () => null,
  read: readAccountEvent,
  schemaVersion: 1,
} satisfies Decider<null, PaymentFact, AccountEvent>;

/** What the account's stream is to be told of a row, and has not been told, in the order in which it happened. */
export const untoldFacts = (row: PaymentRow): readonly { readonly told: Told; readonly fact: PaymentFact }[] => {
  const { paymentId, amount, requestHash, termsHash, cause, state } = row;
  const facts: { told: Told; fact: PaymentFact }[] = [];
  if (!row.verifiedTold && state !== 'RESERVED') {
    facts.push({ told: 'verified', fact: { type: 'AccountPaymentVerified', data: { paymentId, amount, requestHash, termsHash } } });
  }
  if (row.outcomeTold || !hasEnded(state)) return facts;
  if (isNotBilled(state)) {
    const data = { paymentId, amount, requestHash, outcome: state, cause };
    facts.push({ told: 'outcome', fact: { type: 'AccountPaymentFailed', data } });
  } else {
    const { resultHash, transaction, settledAt } = row;
    const data = {
      paymentId,
      amount,
      requestHash,
      resultHash: resultHash!,
      transaction: transaction!,
      settledAt: new Date(settledAt!).toISOString(),
    };
    facts.push({ told: 'outcome', fact: { type: 'AccountPaymentSettled', data } });
  }
  return facts;
};

const DEADLINE_MS = 10_000;

/**
 * Appends what the account's stream has not been told of a payment, each fact once however often and by whomever it is told, and
 * remembers in the ledger that it was. Throws what the log or the ledger throws; then the rest is told later.
 */
export const tellPaymentFacts = async (
  parts: { readonly log: EventLog; readonly clock: Clock; readonly ledger: Pick<PaymentLedger, 'told'> },
  row: PaymentRow,
): Promise<void> => {
  const { accountId, keyId, paymentId, createdAt } = row;
  for (const { told, fact } of untoldFacts(row)) {
    await handle({
      log: parts.log,
      clock: parts.clock,
      decider: factTeller,
      stream: accountStream(accountId),
      after: row.factsAfter,
      command: fact,
      // A row that was forgotten and made again is another use of the same payment: its creation tells them apart.
      commandId: derivedId('payment fact', paymentId, createdAt, told),
      context: { accountId, keyId },
      deadline: parts.clock.now() + DEADLINE_MS,
    });
    await parts.ledger.told(paymentId, told);
  }
};
