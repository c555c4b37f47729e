import type { Identifiers } from '../../../../domain/identifiers.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { EventLog } from '../../../../domain/ports/event-log.ts';
import type { ChainLookup, Facilitator } from '../../../../domain/ports/facilitator.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import type { PaymentLease, PaymentLedger } from '../../../../domain/ports/payment-ledger.ts';

export interface ReconcileParts {
  readonly ledger: PaymentLedger;
  /** Null where the channel is off: rows are tidied up all the same. */
  readonly facilitator: Facilitator | null;
  /** Null where the chain itself cannot be asked. */
  readonly chain: ChainLookup | null;
  readonly log: EventLog;
  /** The service's time. */
  readonly clock: Clock;
  /** The time that the chain and other processes live by. */
  readonly chainClock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

/** Milliseconds after which the chain cannot accept the authorization any more; allows for its clock and the time of a block. */
export const CHAIN_MARGIN_MS = 120_000;

const LEASE_MS = 15_000;
/** Of one piece of work. */
export function leaseFor({ identifiers, chainClock }: ReconcileParts): PaymentLease {
  const now = chainClock.now();
  return { owner: identifiers.next(), now, until: now + LEASE_MS };
}
