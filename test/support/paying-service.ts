import {
  type CivicOptionsHere,
  type Environment,
  type Installation,
  type Service,
  type ServiceStart,
} from './service.ts';
import { makeSharedInstallation } from './shared-installation.ts';
import { makePayer, PAY_TO, type Payer } from './payments.ts';
import { type LocalFacilitator, startLocalFacilitator } from './x402-facilitator.ts';
import { type LocalNode, startLocalNode } from './x402-rpc.ts';

export interface Customer {
  readonly accountId: string;
  readonly key: string;
}

/** The program with the sample, selling by the call through a simulated facilitator and node. */
export interface PayingService {
  readonly installation: Installation;
  readonly facilitator: LocalFacilitator;
  readonly node: LocalNode;
  readonly payer: Payer;
  /** Its settings for pay as you go. */
  readonly settings: Environment;
  start(options?: ServiceStart): Promise<Service>;
  /** A command's answer as JSON; throws when it fails. */
  civic<Answer>(args: readonly string[], options?: CivicOptionsHere): Promise<Answer>;
  openCustomer(): Promise<Customer>;
  close(): Promise<void>;
}

export async function makePayingService(): Promise<PayingService> {
  const facilitator = await startLocalFacilitator();
  const node = await startLocalNode(facilitator.chain);
  const settings = {
    CIVIC_X402_PAY_TO: PAY_TO,
    CIVIC_X402_FACILITATOR_URL: facilitator.url,
    CIVIC_X402_RPC_URL: node.url,
  };
  const installation = await makeSharedInstallation('civic-payments-', { ...settings, CIVIC_LOG_LEVEL: 'debug' });
  const payer = makePayer();
  facilitator.chain.fund(payer.address, 1_000_000_000n);
  const civic = async <Answer>(args: readonly string[], options: CivicOptionsHere = {}): Promise<Answer> => {
    const { exitCode, stdout, stderr } = await installation.civicHere([...args, '--json'], options);
    if (exitCode !== 0) throw new Error(`civic ${args.join(' ')} ended with ${exitCode}: ${stderr.trim()}`);
    return JSON.parse(stdout) as Answer;
  };
  return {
    installation,
    facilitator,
    node,
    payer,
    settings,
    start: (options) => installation.start({ sample: 'on', ...options }),
    civic,
    async openCustomer() {
      const { accountId } = await civic<{ accountId: string }>([
        'accounts',
        'open',
        '--name',
        'Agent',
        '--channel',
        'payg',
      ]);
      const { key } = await civic<{ key: string }>(['keys', 'issue', '--account', accountId, '--scope', 'mcp:read']);
      return { accountId, key };
    },
    async close() {
      await installation.close();
      await node.close();
      await facilitator.close();
    },
  };
}
