import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { REPORT_ID } from '../../contract/examples.ts';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import { type AdmissionBench, BUILT_IN_RULES, type Customer, openAdmissionBench } from '../support/admission.ts';
import { EMPTY_ANSWERS, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');

let bench: AdmissionBench;
let edge: HttpEdge;
let customer: Customer;
beforeAll(async () => {
  bench = await openAdmissionBench(NOW);
  const plans = { ...BUILT_IN_PLANS, ultra: { ...BUILT_IN_PLANS.ultra, maxPageSize: 7 } };
  edge = await startHttpEdge({ admission: bench.admission({ ...BUILT_IN_RULES, plans }) });
});
beforeEach(async () => {
  customer = await bench.open();
  await bench.caughtUp();
});
afterAll(async () => {
  await edge?.close();
  await bench?.close();
});

const ask = async (query = '?limit=500') =>
  await fetch(`${edge.url}/api/v1/data/changes${query}`, { headers: { authorization: `Bearer ${customer.key}` } });
const reads = () => edge.calls.filter(({ name }) => name === 'readCivicChanges');

test('a read runs ahead of the charge of an accepted key, once, and its page is discarded when the charge is refused', async () => {
  const before = reads().length;
  edge.answerWith({ readCivicChanges: async () => ({ text: '{}', items: 0, unreadSince: NOW }) });
  for (let turn = 1; turn <= 2; turn++) {
    expect((await ask()).status).toBe(200);
    expect(reads()).toHaveLength(before + turn);
  }
  await bench.command(customer.accountId, { type: 'RevokeKey', keyId: customer.keyId });
  await bench.caughtUp();
  for (let turn = 1; turn <= 3; turn++) {
    await expectRefusal(await ask(), 401, 'unauthorized');
    expect(reads()).toHaveLength(before + 3);
  }
  edge.answerWith(EMPTY_ANSWERS);
  // Operators see the reads that were answered.
  const read = { keyId: customer.keyId, unreadSince: NOW };
  expect(edge.feedReads).toEqual([read, read]);
});

test('a read ahead for an account that has changed is repeated for the account as it was charged', async () => {
  expect((await ask()).status).toBe(200);
  await bench.command(customer.accountId, { type: 'SetPeriod', tier: 'ultra', paidUntil: new Date(NOW + 1_000_000).toISOString() });
  await bench.caughtUp();
  const before = reads().length;
  expect((await ask()).status).toBe(200);
  expect(reads().slice(before)).toMatchObject([{ input: { limit: 500 } }, { input: { limit: 7 } }]);
});

test('a failure of the read ahead is the answer, and the request stays charged', async () => {
  expect((await ask()).status).toBe(200);
  const charged = async () => (await bench.counters(customer.accountId))['minute'];
  const before = (await charged())!;
  edge.answerWith({ readCivicChanges: async () => await Promise.reject(new Error('a defect')) });
  await expectRefusal(await ask(), 500, 'internal_error');
  edge.answerWith(EMPTY_ANSWERS);
  expect(await charged()).toBe(before + 1);
});

test('a finding about the input is answered after admission, and nothing is read', async () => {
  expect((await ask()).status).toBe(200);
  const before = reads().length;
  await expectRefusal(await ask('?limit=none'), 400, 'invalid_parameter');
  await bench.command(customer.accountId, { type: 'RevokeKey', keyId: customer.keyId });
  await bench.caughtUp();
  await expectRefusal(await ask('?limit=none'), 401, 'unauthorized');
  expect(reads()).toHaveLength(before);
});

test('a read of a report, which is counted, begins only after admission', async () => {
  expect((await ask()).status).toBe(200);
  await bench.command(customer.accountId, { type: 'RevokeKey', keyId: customer.keyId });
  await bench.caughtUp();
  const before = edge.calls.length;
  const headers = { authorization: `Bearer ${customer.key}` };
  await expectRefusal(await fetch(`${edge.url}/api/v1/data-reports/${REPORT_ID}`, { headers }), 401, 'unauthorized');
  expect(edge.calls).toHaveLength(before);
});

test('no more reads run ahead than the allowance had left at the last acceptance', async () => {
  const plans = { ...BUILT_IN_PLANS, pro: { ...BUILT_IN_PLANS.pro, burstLimit: 3 } };
  const admission = bench.admission({ ...BUILT_IN_RULES, plans });
  let ahead = 0;
  const admit = () =>
    admission.admit({
      authorization: `Bearer ${customer.key}`,
      surface: 'data',
      scope: 'civic:read',
      now: NOW,
      readAhead: () => void (ahead += 1),
    });
  await admit();
  expect(ahead).toBe(0);
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, admit));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(ahead).toBe(2);
  await expect(admit()).rejects.toMatchObject({ code: 'rate_limited' });
  expect(ahead).toBe(2);
});
