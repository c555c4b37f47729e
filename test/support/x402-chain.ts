import { createHash } from 'node:crypto';
import type { FacilitatorEvmSigner } from '@x402/evm';
import { ASSET } from '../../domain/payments/payment.ts';

/** Faults between the facilitator and the chain. `lost` sends the transaction and then loses the answer. */
export type ChainFault = 'revert' | 'pending' | 'pending_once' | 'rpc_down' | 'lost';

export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly nonce: string;
  readonly hash: `0x${string}`;
  readonly status: 'success' | 'reverted';
}

/** The part of a chain that the facilitator's code uses: balances, used nonces, transactions. No real chain is contacted. */
export class LocalChain {
  readonly transfers: Transfer[] = [];
  /** Every transaction that was sent, in the order of sending. */
  broadcasts = 0;
  readonly balances = new Map<string, bigint>();
  readonly used = new Set<string>();
  /** Cancelled by the payer without a payment. */
  readonly canceled = new Set<string>();
  fault: ChainFault | null = null;
  private pendingPublished = new Set<string>();

  /** The actual payment of a nonce. */
  paid(payer: string, nonce: string): readonly Transfer[] {
    return this.transfers.filter(
      ({ from, nonce: each, status }) => from === payer.toLowerCase() && each === nonce && status === 'success',
    );
  }

  fund(address: string, units: bigint): void {
    this.balances.set(address.toLowerCase(), units);
  }

  readonly signer: FacilitatorEvmSigner = {
    getAddresses: () => ['0x00000000000000000000000000000000000000fa'],
    // Awaited here, because the library does not handle a failure of this promise.
    getCode: async ({ address }) => (address.toLowerCase() === ASSET ? '0x60' : undefined),
    // Payers here sign by themselves, and their signatures are checked without the chain.
    verifyTypedData: async () => false,
    sendTransaction: async () => {
      throw new Error('no wallet is deployed here');
    },
    readContract: async ({ functionName, args }) => {
      if (this.fault === 'rpc_down') throw new Error('the node does not answer');
      if (functionName !== 'transferWithAuthorization') throw new Error(`${functionName} is not there`);
      this.check(args ?? []);
      return undefined;
    },
    writeContract: async ({ args }) => {
      if (this.fault === 'rpc_down') throw new Error('the node does not answer');
      const { from, to, value, nonce } = this.check(args);
      this.broadcasts += 1;
      const hash = `0x${createHash('sha256').update(`${from} ${nonce} ${this.broadcasts}`).digest('hex')}` as const;
      const status = this.fault === 'revert' ? 'reverted' : 'success';
      this.transfers.push({ from, to, value, nonce, hash, status });
      if (status === 'success') {
        this.used.add(`${from} ${nonce}`);
        this.balances.set(from, (this.balances.get(from) ?? 0n) - value);
      }
      if (this.fault === 'lost') throw new Error('the connection to the node was lost');
      return hash;
    },
    waitForTransactionReceipt: async ({ hash }) => {
      if (this.fault === 'pending') throw new Error('no receipt in time');
      if (this.fault === 'pending_once' && !this.pendingPublished.has(hash)) {
        this.pendingPublished.add(hash);
        throw new Error('no receipt in time');
      }
      return { status: this.transfers.find((transfer) => transfer.hash === hash)?.status ?? 'reverted' };
    },
  };

  private check(args: readonly unknown[]): Omit<Transfer, 'hash' | 'status'> {
    const [from, to, value, , , nonce] = args as readonly [string, string, bigint, bigint, bigint, string];
    const payer = from.toLowerCase();
    if (this.used.has(`${payer} ${nonce}`)) throw new Error('FiatTokenV2: authorization is used or canceled');
    if ((this.balances.get(payer) ?? 0n) < value) throw new Error('ERC20: transfer amount exceeds balance');
    return { from: payer, to: to.toLowerCase(), value, nonce };
  }
}
