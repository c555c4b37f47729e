import { isAddress } from 'viem';
import type { ChainLookup, CheckSignature, Facilitator } from '../../domain/ports/facilitator.ts';
import { chainLookup } from './chain-lookup.ts';
import { checkSignature } from './check-signature.ts';
import { type FacilitatorTimes, httpFacilitator } from './facilitator.ts';

export interface X402 {
  readonly facilitator: Facilitator;
  readonly checkSignature: CheckSignature;
  /** Null where no node of the chain is known. */
  readonly chain: ChainLookup | null;
}

/** What pay as you go needs from outside. Throws for an address that money would be lost at: a mistyped one, by its own checksum. */
export function openX402(
  { payTo, facilitatorUrl, rpcUrl }: { readonly payTo: string; readonly facilitatorUrl: string; readonly rpcUrl: string | undefined },
  times: FacilitatorTimes,
): X402 {
  if (!isAddress(payTo) || /^0x0+$/.test(payTo)) {
    throw new Error(
      `CIVIC_X402_PAY_TO is ${JSON.stringify(payTo)}; allowed is an address whose capital letters, where it has any, agree with it`,
    );
  }
  return {
    facilitator: httpFacilitator(facilitatorUrl, times),
    checkSignature,
    chain: rpcUrl === undefined ? null : chainLookup(rpcUrl, times.verifyMs),
  };
}
