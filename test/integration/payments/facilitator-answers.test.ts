import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { chainLookup } from '../../../infra/x402/chain-lookup.ts';
import { httpFacilitator, MAX_ANSWER_BYTES } from '../../../infra/x402/facilitator.ts';
import { ASSET, ASSET_DOMAIN, NETWORK, type SignedPayment } from '../../../domain/payments/payment.ts';
import { PATIENT, PAY_TO } from '../../support/payments.ts';

const PAYER = `0x${'a'.repeat(40)}`;
const HASH = `0x${'c'.repeat(64)}`;
const payment: SignedPayment = {
  accepted: { scheme: 'exact', network: NETWORK, asset: ASSET, amount: '10', payTo: PAY_TO, extra: ASSET_DOMAIN },
  authorization: { from: PAYER, to: PAY_TO, value: '10', validAfter: '0', validBefore: '9', nonce: HASH },
  signature: '0x00',
  resourceUrl: 'mcp://tool/search_agenda',
};

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = { 'content-type': 'application/json' };
/** An endless answer that begins as a verdict, a JSON-RPC result or a list. */
const BEGINNING = '{"isValid":true,"success":true,"jsonrpc":"2.0","id":1,"result":"0x1","extra":"';

/** Sends as fast as it is read, and never ends. */
async function endless(response: ServerResponse, sent: { bytes: number }): Promise<void> {
  response.writeHead(200, json).write(BEGINNING);
  const chunk = Buffer.alloc(65_536, 'x');
  const chunks = function* (): Generator<Buffer> {
    for (;;) {
      sent.bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(chunks(), response).catch(() => undefined);
}

/** Sends a byte now and then, and never ends. */
async function dripping(response: ServerResponse): Promise<void> {
  response.writeHead(200, json).write(BEGINNING);
  while (!response.destroyed) {
    response.write('x');
    await after(20);
  }
}

/** Each kind of request about a payment; resolves to the parsed answer. */
const QUESTIONS = {
  verify: (url: string, ms: number) => httpFacilitator(url, { verifyMs: ms, settleMs: ms }).verify(payment),
  settle: (url: string, ms: number) => httpFacilitator(url, { verifyMs: ms, settleMs: ms }).settle(payment),
  look: (url: string, ms: number) =>
    chainLookup(url, ms).look(
      { network: NETWORK, asset: ASSET, payer: PAYER, nonce: HASH },
      { payTo: PAY_TO, amount: '10', since: 0, until: 1 },
    ),
};
const NO_ANSWER = { verify: 'unavailable', settle: 'unknown', look: 'unavailable' };

describe.each(['verify', 'settle', 'look'] as const)('%s', (question) => {
  test('reads no more than the limit of an endless answer', async () => {
    const counter = { bytes: 0 };
    const url = await serve((_, response) => void endless(response, counter));
    const answer = await QUESTIONS[question](url, PATIENT.verifyMs);
    expect(answer).toMatchObject({
      kind: NO_ANSWER[question],
      ...(question === 'look' ? {} : { reason: 'bad_answer' }),
    });
    // The buffers of both sockets count too.
    expect(counter.bytes).toBeLessThan(MAX_ANSWER_BYTES + 16 * 1024 * 1024);
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect of status %d', async (status) => {
    const followed: string[] = [];
    const elsewhere = await serve((request, response) => {
      followed.push(request.url!);
      response.writeHead(200, json).end('{"isValid":true}');
    });
    const url = await serve((request, response) =>
      response.writeHead(status, { location: elsewhere + request.url }).end(),
    );
    expect(await QUESTIONS[question](url, PATIENT.verifyMs)).toMatchObject({ kind: NO_ANSWER[question] });
    expect(followed).toEqual([]);
  });

  test('ends an answer that is not complete in time', async () => {
    const url = await serve((_, response) => void dripping(response));
    expect(await QUESTIONS[question](url, 500)).toMatchObject({
      kind: NO_ANSWER[question],
      ...(question === 'look' ? {} : { reason: 'timeout' }),
    });
  });
});

describe('a verdict at settlement', () => {
  const settledAs = async (status: number, verdict: object) => {
    const body = JSON.stringify({ success: false, transaction: '', network: NETWORK, ...verdict });
    const url = await serve((_, response) => void response.writeHead(status, json).end(body));
    return await httpFacilitator(url, PATIENT).settle(payment);
  };
  test.each([
    ['insufficient_funds before anything was sent', { errorReason: 'insufficient_funds' }, 'refused'],
    ['a revert', { errorReason: 'invalid_exact_evm_transaction_failed', transaction: HASH }, 'refused'],
    ['pending', { errorReason: 'settlement_pending', transaction: HASH }, 'unknown'],
    ['a used nonce', { errorReason: 'invalid_exact_evm_nonce_already_used' }, 'unknown'],
    ['an unknown reason', { errorReason: 'because' }, 'unknown'],
    ['a success', { success: true, transaction: HASH }, 'settled'],
  ])('of %s means the same with status 200, 400, 402 and 412', async (_, verdict, kind) => {
    const with200 = await settledAs(200, verdict);
    expect(with200.kind).toBe(kind);
    for (const status of [400, 402, 412]) expect(await settledAs(status, verdict)).toEqual(with200);
  });

  test('is none with a status of 500 or in a body of another shape', async () => {
    const refused = { errorReason: 'insufficient_funds' };
    expect(await settledAs(500, refused)).toEqual({ kind: 'unknown', reason: 'failed', transaction: null });
    expect(await settledAs(400, { ...refused, success: 'no' })).toEqual({
      kind: 'unknown',
      reason: 'bad_answer',
      transaction: null,
    });
  });
});

test('a verification that is refused with a status of 4xx is refused, whatever its body says of validity', async () => {
  for (const isValid of [true, false]) {
    const url = await serve(
      (_, response) =>
        void response.writeHead(402, json).end(JSON.stringify({ isValid, invalidReason: 'insufficient_funds' })),
    );
    expect(await httpFacilitator(url, PATIENT).verify(payment)).toEqual({
      kind: 'refused',
      reason: 'insufficient_funds',
      expired: false,
    });
  }
});
