import { authorizationTypes } from '@x402/evm';
import { type Hex, isAddress, parseSignature, verifyTypedData } from 'viem';
import { CHAIN_ID } from '../../domain/payments/payment.ts';
import type { CheckSignature, PaymentChannel } from '../../domain/ports/payments.ts';
import { chainLookup } from './chain-lookup.ts';
import { httpFacilitator } from './facilitator.ts';

/** Half of the order of the curve: the contract of the asset refuses a signature above it, the mirror of another one. */
const LOW_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Accepts wallets that sign by themselves; only the chain knows what a contract accepts. */
export const checkSignature: CheckSignature = async (authorization, terms, signature) => {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  try {
    if (BigInt(parseSignature(signature as Hex).s) > LOW_S) return false;
    return await verifyTypedData({
      address: from as Hex,
      domain: { ...terms.extra, chainId: CHAIN_ID, verifyingContract: terms.asset as Hex },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: from as Hex,
        to: to as Hex,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
        nonce: nonce as Hex,
      },
      signature: signature as Hex,
    });
  } catch {
    // Bytes that are no signature at all.
    return false;
  }
};

const TIMES = { verifyMs: 2_000, settleMs: 4_000 };

/** Throws for a mistyped address, by its checksum: money sent there would be lost. */
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
