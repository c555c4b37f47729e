import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { decodeFunctionData, encodeEventTopics, encodeFunctionResult, type Hex, pad, parseAbi, toHex } from 'viem';
import { ASSET } from '../../domain/payments/payment.ts';
import type { LocalChain } from './x402-chain.ts';

const ABI = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const LATEST = 1_000_000n;

interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly Record<string, unknown>[];
}

export interface LocalNode {
  readonly url: string;
  down: boolean;
  /** Ranges of blocks that logs were searched in. */
  readonly searched: bigint[];
  close(): Promise<void>;
}

/** The part of a node's JSON-RPC that a search for a payment uses, over a simulated chain. */
export async function startLocalNode(chain: LocalChain): Promise<LocalNode> {
  const node = { url: '', down: false, searched: [] as bigint[] };
  const log = (address: string, topics: readonly unknown[], data: Hex, hash: Hex) => ({
    address,
    topics,
    data,
    blockNumber: toHex(LATEST),
    transactionHash: hash,
    transactionIndex: '0x0',
    blockHash: pad('0x1'),
    logIndex: '0x0',
    removed: false,
  });
  const answers: Record<string, (params: RpcCall['params']) => unknown> = {
    eth_call([call]) {
      const { args } = decodeFunctionData({ abi: ABI, data: call!.data as Hex });
      const [payer, nonce] = args;
      return encodeFunctionResult({
        abi: ABI,
        functionName: 'authorizationState',
        result: chain.used.has(`${payer.toLowerCase()} ${nonce}`),
      });
    },
    eth_getBlockByNumber: () => ({
      number: toHex(LATEST),
      timestamp: toHex(Math.floor(Date.now() / 1000)),
      transactions: [],
    }),
    eth_getLogs([filter]) {
      const { fromBlock, toBlock, topics } = filter as { fromBlock: Hex; toBlock: Hex; topics: Hex[] };
      node.searched.push(BigInt(toBlock) - BigInt(fromBlock));
      const successful = chain.transfers.filter(({ status }) => status === 'success');
      return [
        ...successful.map(
          ({ from, nonce, hash }) =>
            [
              encodeEventTopics({
                abi: ABI,
                eventName: 'AuthorizationUsed',
                args: { authorizer: from as Hex, nonce: nonce as Hex },
              }),
              hash,
            ] as const,
        ),
        ...[...chain.canceled].map((each) => {
          const [from, nonce] = each.split(' ') as [Hex, Hex];
          return [
            encodeEventTopics({ abi: ABI, eventName: 'AuthorizationCanceled', args: { authorizer: from, nonce } }),
            pad('0x2'),
          ] as const;
        }),
      ]
        .filter(([each]) => each.every((topic, index) => topic === topics[index]))
        .map(([each, hash]) => log(ASSET, each, '0x', hash));
    },
    eth_getTransactionReceipt([hash]) {
      const transfer = chain.transfers.find((each) => each.hash === (hash as unknown as Hex));
      if (transfer === undefined) return null;
      const { from, to, value } = transfer;
      const topics = encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from: from as Hex, to: to as Hex } });
      const logs = [log(ASSET, topics, pad(toHex(value)), transfer.hash)];
      return {
        transactionHash: transfer.hash,
        status: '0x1',
        logs,
        blockNumber: toHex(LATEST),
        gasUsed: '0x1',
        type: '0x2',
      };
    },
  };
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { id, method, params } = body as RpcCall;
      if (node.down) return response.writeHead(503).end();
      const answer = answers[method];
      const outcome = answer === undefined ? { error: { code: -32601, message: method } } : { result: answer(params) };
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(node, {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
