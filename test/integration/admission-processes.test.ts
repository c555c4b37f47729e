import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECTIONS } from '../../src/app/composition.ts';
import { type AdmissionBench, type Customer, openAdmissionBench } from '../support/admission.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';

const ALLOWANCE = 120;
const REQUESTS = 500;
const PROCESSES = 2;
const MINUTE_MS = 60_000;
const wide = { burst_limit: 1_000_000 };

let bench: AdmissionBench;
let installation: Installation;
const services: Service[] = [];
beforeAll(async () => {
  bench = await openAdmissionBench(Date.now(), PROJECTIONS);
  installation = makeInstallation('civic-admission-');
  const env = {
    DATABASE_URL: bench.civic.url,
    CIVIC_PLANS: JSON.stringify({ pro: { requests_per_minute: ALLOWANCE, ...wide } }),
    CIVIC_ABUSE_LIMIT: '1000000/60,1000000/1',
  };
  for (let nth = 0; nth < PROCESSES; nth += 1) services.push(await installation.start({ role: 'api', env }));
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await installation?.close();
  await bench?.close();
});

const minuteNow = (): number => Math.floor(Date.now() / MINUTE_MS);

/** Sends all requests at once; repeats with another account if a minute ended in between. */
async function inOneMinute(
  among: readonly Service[],
): Promise<{ readonly customer: Customer; readonly answers: readonly Response[] }> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const customer = await bench.open();
    const other = await bench.issue(customer.accountId);
    await bench.caughtUp();
    const began = minuteNow();
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, (_, nth) =>
        among[nth % among.length]!.fetch('/api/v1/data/changes?limit=1', { key: (nth % 7 < 3 ? customer : other).key }),
      ),
    );
    if (minuteNow() === began) return { customer, answers };
  }
  throw new Error(`${REQUESTS} requests took longer than a minute, five times`);
}

test.each([1, PROCESSES])(
  'five hundred concurrent requests to %i API processes use exactly the allowance of the minute',
  async (number) => {
    const { customer, answers } = await inOneMinute(services.slice(0, number));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(200), count(429)]).toEqual([ALLOWANCE, REQUESTS - ALLOWANCE]);
    const remainders = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(/"minute";r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]));
    expect(new Set(remainders).size).toBe(ALLOWANCE);
    const retries = answers
      .filter(({ status }) => status === 429)
      .map(({ headers }) => Number(headers.get('retry-after')));
    expect(retries.every((seconds) => seconds >= 1 && seconds <= 60)).toBe(true);
    expect(await bench.counters(customer.accountId)).toEqual(
      expect.objectContaining({ minute: ALLOWANCE, received: REQUESTS, handled: REQUESTS }),
    );
  },
);
