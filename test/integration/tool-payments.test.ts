import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paymentRequired, TOOL_RESULTS, toolError } from '../../contract/tools/tool-results.ts';
import type { ToolName } from '../../contract/tools/tool-names.ts';
import { makePayer, PAY_TO, type SentPayment } from '../support/payments.ts';
import type { Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';
import { askTools, BOTH_TYPES } from '../support/tool-requests.ts';
import { type LocalFacilitator, startLocalFacilitator } from '../support/x402-facilitator.ts';

/** The program, the official client, the official payer and a facilitator made of the library's code. */
const installation = await makeSharedInstallation('civic-paid-');
let service: Service;
let facilitator: LocalFacilitator;

beforeAll(async () => {
  facilitator = await startLocalFacilitator();
  const env = { CIVIC_X402_PAY_TO: PAY_TO, CIVIC_X402_FACILITATOR_URL: facilitator.url };
  service = await installation.start({ sample: 'on', env });
});
afterAll(async () => {
  await service?.stop();
  await facilitator?.close();
  await installation.close();
});

/** A payer with money; a wallet pays for one account only. */
function fundedPayer() {
  const payer = makePayer();
  facilitator.chain.fund(payer.address, 1_000_000n);
  return payer;
}

/** A key for the tools of a new account on a channel. */
async function openAccount(channel: string): Promise<string> {
  const said = async (...args: string[]) =>
    JSON.parse((await installation.civicHere([...args, '--json'])).stdout) as Record<string, string>;
  const { accountId } = await said('accounts', 'open', '--name', 'Agent', '--channel', channel);
  return (await said('keys', 'issue', '--account', accountId!, '--scope', 'mcp:read'))['key']!;
}

async function connect(key: string, era: 'current' | '2025'): Promise<Client> {
  const client = new Client(
    { name: 'agent', version: '1' },
    era === '2025' ? {} : { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/api/v1/mcp`), { requestInit }));
  return client;
}

const call = (client: Client, name: ToolName, args: Record<string, unknown>, payment?: SentPayment) =>
  client.callTool({ name, arguments: args, ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }) });
const codeOf = (result: unknown): string =>
  toolError.parse({ resultType: 'complete', ...(result as object) }).structuredContent.error.code;
const challengeOf = (result: unknown) =>
  paymentRequired.parse({ resultType: 'complete', ...(result as object) }).structuredContent;

describe.each(['current', '2025'] as const)('in the %s era', (era) => {
  test('a call is challenged, paid and answered with its receipt, also when repeated; it opens reports', async () => {
    const client = await connect(await openAccount('payg'), era);
    try {
      const query = { query: 'rezoning' };
      const report = {
        sourceUrl: 'https://records.example.org/a',
        expectedRecord: 'an agenda',
        idempotencyToken: 'after-payment',
      };
      expect(codeOf(await call(client, 'report_missing_data', report))).toBe('access_denied');

      const challenged = await call(client, 'search_agenda', query);
      const challenge = challengeOf(challenged);
      expect(JSON.parse((challenged.content as { text: string }[])[0]!.text)).toEqual(challenge);
      expect(challenge.accepts[0]).toMatchObject({
        scheme: 'exact',
        network: 'eip155:84532',
        amount: '10000',
        payTo: PAY_TO,
      });

      const payment = await fundedPayer().pay(challenge);
      const settled = facilitator.asked.settle.length;
      const paid = await call(client, 'search_agenda', query, payment);
      const { structuredContent } = TOOL_RESULTS.search_agenda.parse({ resultType: 'complete', ...paid });
      expect(structuredContent.data.results.length).toBeGreaterThan(0);
      expect(paid._meta?.['x402/payment-response']).toMatchObject({
        success: true,
        network: 'eip155:84532',
        payer: expect.any(String) as unknown,
      });
      expect(facilitator.asked.settle.length).toBe(settled + 1);

      const again = await call(client, 'search_agenda', query, payment);
      expect([again.structuredContent, again.content, again._meta?.['x402/payment-response']]).toEqual([
        paid.structuredContent,
        paid.content,
        paid._meta?.['x402/payment-response'],
      ]);
      expect(codeOf(await call(client, 'search_agenda', { query: 'water' }, payment))).toBe('payment_replay_mismatch');
      expect(facilitator.asked.settle.length).toBe(settled + 1);

      // The payment opens reports as soon as the read model of accounts has it.
      await expect
        .poll(async () => (await call(client, 'report_missing_data', report)).isError, { timeout: 30_000 })
        .toBeUndefined();
    } finally {
      await client.close();
    }
  });

  test('an error in the arguments is answered before a challenge, and an empty result is not charged', async () => {
    const client = await connect(await openAccount('payg'), era);
    try {
      expect(codeOf(await call(client, 'search_agenda', { query: '' }))).toBe('invalid_parameter');
      expect(codeOf(await call(client, 'search_agenda', { query: 'x', cursor: 'no' }))).toBe('invalid_cursor');
      const nothing = { itemId: '00000000-0000-0000-0000-000000000000' };
      const payment = await fundedPayer().pay(challengeOf(await call(client, 'get_agenda_item', nothing)));
      const settled = facilitator.asked.settle.length;
      expect(codeOf(await call(client, 'get_agenda_item', nothing, payment))).toBe('empty_result_not_chargeable');
      expect(facilitator.asked.settle.length).toBe(settled);
    } finally {
      await client.close();
    }
  });
});

test('a payment of an account with another channel is refused, and the call is served without it', async () => {
  const client = await connect(service.key!, 'current');
  const other = await connect(await openAccount('payg'), 'current');
  try {
    const payment = await fundedPayer().pay(challengeOf(await call(other, 'search_agenda', { query: 'rezoning' })));
    expect(codeOf(await call(client, 'search_agenda', { query: 'rezoning' }, payment))).toBe(
      'billing_channel_payment_mismatch',
    );
    expect((await call(client, 'search_agenda', { query: 'rezoning' })).isError).toBeUndefined();
  } finally {
    await client.close();
    await other.close();
  }
});

test('one payment in two calls of a batch pays for neither, in any notation', async () => {
  const key = await openAccount('payg');
  const client = await connect(key, '2025');
  const payment = await fundedPayer().pay(challengeOf(await call(client, 'search_agenda', { query: 'rezoning' })));
  await client.close();
  const settled = facilitator.asked.settle.length;
  const element = (id: number, sent: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'search_agenda', arguments: { query: 'rezoning' }, _meta: { 'x402/payment': sent } },
  });
  const body = JSON.stringify([element(1, payment), element(2, { ...payment, note: 'another' })]);
  const { messages } = await askTools({ url: service.baseUrl, key, headers: { accept: BOTH_TYPES }, body });
  expect(messages.map(({ result }) => codeOf(result))).toEqual(['payment_request_invalid', 'payment_request_invalid']);
  expect(facilitator.asked.settle.length).toBe(settled);
});
