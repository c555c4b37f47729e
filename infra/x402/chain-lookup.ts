import { createPublicClient, type Hex, http, isAddressEqual, parseAbi, parseEventLogs } from 'viem';
import type { ChainLookup, OnChain } from '../../domain/ports/payments.ts';
import { boundedFetch } from '../system/bounded-fetch.ts';
import type { PaymentKey } from '../../domain/payments/payment.ts';
import { MAX_ANSWER_BYTES } from './facilitator.ts';

const ABI = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, USED, CANCELED] = ABI;

/**
 * Time between two blocks of Base. Used to search only the blocks that can contain the payment: nodes limit the range.
 */
const BLOCK_MS = 2_000;
const MARGIN_BLOCKS = 300n;
type Expected = Parameters<ChainLookup['look']>[1];

/** Looks up a payment on the chain. Resolves to `unavailable` if the result is not certain. */
export function chainLookup(rpcUrl: string, timeoutMs: number): ChainLookup {
  // The library's own timeout covers only the headers of a response, and its own fetch follows redirects.
  const fetchFn = boundedFetch({ maxBytes: MAX_ANSWER_BYTES, timeoutMs });
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: timeoutMs, retryCount: 0, fetchFn }) });

  const blocks = async ({
    since,
    until,
  }: Expected): Promise<{ readonly fromBlock: bigint; readonly toBlock: bigint }> => {
    const { number, timestamp } = await client.getBlock({ blockTag: 'latest' });
    const at = (time: number): bigint => number - BigInt(Math.ceil((Number(timestamp) * 1000 - time) / BLOCK_MS));
    const within = (block: bigint): bigint => (block < 0n ? 0n : block > number ? number : block);
    return { fromBlock: within(at(since) - MARGIN_BLOCKS), toBlock: within(at(until) + MARGIN_BLOCKS) };
  };

  const look = async ({ asset, payer, nonce }: PaymentKey, expected: Expected): Promise<OnChain> => {
    const args = { authorizer: payer as Hex, nonce: nonce as Hex };
    const isUsed = await client.readContract({
      address: asset as Hex,
      abi: ABI,
      functionName: 'authorizationState',
      args: [args.authorizer, args.nonce],
    });
    if (!isUsed) return { kind: 'unused' };
    const range = { address: asset as Hex, args, ...(await blocks(expected)) };
    const [canceled] = await client.getLogs({ ...range, event: CANCELED });
    if (canceled !== undefined) return { kind: 'used_otherwise' };
    const [log] = await client.getLogs({ ...range, event: USED });
    if (log === undefined) return { kind: 'unavailable' };
    const receipt = await client.getTransactionReceipt({ hash: log.transactionHash });
    const transfers = parseEventLogs({ abi: ABI, eventName: 'Transfer', logs: receipt.logs });
    const paid = transfers.some(
      ({ address, args: { from, to, value } }) =>
        isAddressEqual(address, asset as Hex) &&
        isAddressEqual(from, payer as Hex) &&
        isAddressEqual(to, expected.payTo as Hex) &&
        value === BigInt(expected.amount),
    );
    return paid ? { kind: 'settled', transaction: log.transactionHash } : { kind: 'used_otherwise' };
  };

  return { look: (key, expected) => look(key, expected).catch(() => ({ kind: 'unavailable' })) };
}
