import { authorizationTypes } from '@x402/evm';
import { type Hex, parseSignature, verifyTypedData } from 'viem';
import type { CheckSignature } from '../../domain/ports/payments.ts';
import { CHAIN_ID } from '../../domain/payments/payment.ts';

/** Half of the order of the curve: a signature above it is the mirror of another, and the asset's contract refuses it. */
const LOW_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Only wallets that sign by themselves: what a contract would accept is known to the chain only. */
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
