import { authorizationTypes } from '@x402/evm';
import { type Hex, isAddress, parseSignature, verifyTypedData } from 'viem';
import { CHAIN_ID } from '../../domain/payments/payment.ts';
import type { CheckSignature, PaymentChannel } from '../../domain/ports/payments.ts';
import { chainLookup } from './chain-lookup.ts';
import { httpFacilitator } from './facilitator.ts';

/**
 * Half of the curve order. The asset's contract rejects a signature with a greater `s`, which mirrors another
 * signature.
 */
const LOW_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Checks signatures of ordinary wallets. It rejects contract wallets, whose signatures only the chain can check. */
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
    // The bytes are not a signature.
    return false;
  }
};

const TIMES = { verifyMs: 2_000, settleMs: 4_000 };

/**
 * Opens the payment ports. Throws if the checksum of `payTo` is wrong, because money sent to a mistyped address is
 * lost.
 */
export function openX402(payTo: string, facilitatorUrl: string, rpcUrl: string | undefined): PaymentChannel {
  if (!isAddress(payTo) || /^0x0+$/.test(payTo)) {
    throw new Error(
      `CIVIC_X402_PAY_TO is ${JSON.stringify(payTo)}; allowed is an address with no checksum or a correct one`,
    );
  }
  return {
    facilitator: httpFacilitator(facilitatorUrl, TIMES),
    checkSignature,
    chain: rpcUrl === undefined ? null : chainLookup(rpcUrl, TIMES.verifyMs),
  };
}
