import { isAddress } from 'viem';
import type { PaymentChannel } from '../../domain/ports/payments.ts';
import { chainLookup } from './chain-lookup.ts';
import { checkSignature } from './check-signature.ts';
import { httpFacilitator } from './facilitator.ts';

const TIMES = { verifyMs: 2_000, settleMs: 4_000 };

/** Throws for an address that money would be lost at: a mistyped one, by its own checksum. */
export function openX402(payTo: string, facilitatorUrl: string, rpcUrl: string | undefined): PaymentChannel {
  if (!isAddress(payTo) || /^0x0+$/.test(payTo)) {
    throw new Error(
      `CIVIC_X402_PAY_TO is ${JSON.stringify(payTo)}; allowed is an address whose capital letters, where it has any, agree with it`,
    );
  }
  return {
    facilitator: httpFacilitator(facilitatorUrl, TIMES),
    checkSignature,
    chain: rpcUrl === undefined ? null : chainLookup(rpcUrl, TIMES.verifyMs),
  };
}
