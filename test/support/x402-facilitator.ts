import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { NETWORK } from '../../domain/payments/payment.ts';
import { LocalChain } from './x402-chain.ts';

export type Operation = 'verify' | 'settle';
/** The faults of the facilitator. `done_…` does the requested work first. */
export type HttpFault =
  | 'http_500'
  | 'http_400_refusal'
  | 'hang'
  | 'bad_json'
  | 'wrong_shape'
  | 'done_then_500'
  | 'done_then_hang'
  | 'echo_500';

export interface LocalFacilitator {
  readonly chain: LocalChain;
  /** Runs in this process. */
  readonly client: FacilitatorClient;
  readonly url: string;
  readonly faults: { verify: HttpFault | null; settle: HttpFault | null };
  /** Received requests, by operation. */
  readonly asked: { readonly verify: string[]; readonly settle: string[] };
  /** Makes the port refuse connections. */
  closePort(): Promise<void>;
  close(): Promise<void>;
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** A facilitator made of the library's code over a simulated chain; in process and over 127.0.0.1. */
export async function startLocalFacilitator(): Promise<LocalFacilitator> {
  const chain = new LocalChain();
  const facilitator = new x402Facilitator();
  registerExactEvmScheme(facilitator, { signer: chain.signer, networks: NETWORK });
  const faults: LocalFacilitator['faults'] = { verify: null, settle: null };
  const asked: LocalFacilitator['asked'] = { verify: [], settle: [] };

  const client: FacilitatorClient = {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => facilitator.getSupported() as Awaited<ReturnType<FacilitatorClient['getSupported']>>,
  };

  const answer = async (operation: Operation, body: string, response: ServerResponse): Promise<void> => {
    const fault = faults[operation];
    asked[operation].push(body);
    if (fault === 'hang') return;
    if (fault === 'http_500') return send(response, 500, '{"message":"out of order"}');
    if (fault === 'echo_500') return send(response, 500, body);
    if (fault === 'bad_json') return send(response, 200, '<html>it works</html>');
    if (fault === 'wrong_shape') return send(response, 200, '{"ok":true}');
    if (fault === 'http_400_refusal') {
      const reason = 'invalid_exact_evm_insufficient_balance';
      const refusal =
        operation === 'verify'
          ? { isValid: false, invalidReason: reason }
          : { success: false, errorReason: reason, transaction: '', network: NETWORK };
      return send(response, 400, JSON.stringify(refusal));
    }
    const { paymentPayload, paymentRequirements } = JSON.parse(body) as {
      paymentPayload: PaymentPayload;
      paymentRequirements: PaymentRequirements;
    };
    const result = await client[operation](paymentPayload, paymentRequirements);
    if (fault === 'done_then_hang') return;
    if (fault === 'done_then_500') return send(response, 500, '{"message":"out of order"}');
    send(response, 200, JSON.stringify(result));
  };

  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const operation = request.url === '/verify' ? 'verify' : request.url === '/settle' ? 'settle' : null;
    if (operation === null) return send(response, 404, '{}');
    void text(request)
      .then((body) => answer(operation, body, response))
      .catch((error: unknown) => send(response, 500, JSON.stringify({ message: (error as Error).message })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const closePort = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { chain, client, url: `http://127.0.0.1:${port}`, faults, asked, closePort, close: closePort };
}
