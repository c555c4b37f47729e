import { setTimeout as after } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportReceipt, type ReportReceipt } from '../../contract/data-report.ts';
import { accountReportsStream } from '../../domain/streams.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { MISSING_RECORD, WHOLE_MISSING_RECORD } from '../support/missing-record.ts';
import { type PrivateServer, startPrivateServer } from '../support/postgresql-server.ts';
import { MANY_CLIENTS, newReport, readReport, receiptOf, submitReport } from '../support/report-requests.ts';
import { serveCivic } from '../support/served-civic.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilReached, untilTrue } from '../support/until-reached.ts';

const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { code: string } }).error.code;

describe('an API process that is killed between the commit and its answer', () => {
  let database: TestDatabase;
  let installation: Installation;
  let running: Service | undefined;
  let key: string;

  beforeAll(async () => {
    database = await startTestDatabase();
    installation = makeInstallation('civic-report-kill-');
    key = await openAccount();
  });
  afterAll(async () => {
    await running?.stop();
    await installation?.close();
    await database?.close();
  });

  const openAccount = async (): Promise<string> => {
    const env = { DATABASE_URL: database.url };
    const paid = ['--channel', 'subscription', '--tier', 'pro', '--paid-until', '2099-01-01T00:00:00Z'];
    const opened = await installation.civicHere(['accounts', 'open', '--name', 'Test', ...paid, '--json'], { env });
    const { accountId } = JSON.parse(opened.stdout) as { accountId: string };
    const issued = await installation.civicHere(
      ['keys', 'issue', '--account', accountId, '--scope', 'civic:read', '--json'],
      { env },
    );
    return (JSON.parse(issued.stdout) as { key: string }).key;
  };
  const stored = async (): Promise<readonly (ReportReceipt & { token: string })[]> => {
    const client = new Client(database.url);
    await client.connect();
    const { rows } = await client.query<{ data: ReportReceipt & { token: string } }>(
      "select data from civic.events where type = 'DataReportSubmitted' order by position",
    );
    await client.end();
    return rows.map(({ data }) => data);
  };

  test('has made the report: a retry gets its first receipt, and another body gets 409', async () => {
    // The answer waits because there is no projector: the report is in the log without a receipt.
    const killed = await installation.start({ role: 'api', env: { DATABASE_URL: database.url } });
    const interrupted = submitReport(killed, key, 'killed', WHOLE_MISSING_RECORD).then(
      () => 'answered',
      () => 'lost',
    );
    await untilTrue('the report is stored', async () => (await stored()).length === 1);
    await killed.kill9();
    expect(await interrupted).toBe('lost');

    running = await installation.start({ env: { DATABASE_URL: database.url } });
    const [receipt] = await stored();
    const first = {
      reportId: receipt!.reportId,
      status: 'received',
      statusUrl: receipt!.statusUrl,
      submittedAt: receipt!.submittedAt,
      nextCheckAt: receipt!.nextCheckAt,
    };
    expect(receipt!.statusUrl).toContain(killed.baseUrl);
    expect(await receiptOf(submitReport(running, key, 'killed', WHOLE_MISSING_RECORD))).toEqual(first);
    const refused = await submitReport(running, key, 'killed', MISSING_RECORD);
    expect([refused.status, await codeOf(refused)]).toEqual([409, 'replay_conflict']);
    expect((await readReport(running, key, receipt!.reportId)).status).toBe(200);
    expect(await stored()).toHaveLength(1);
    // The place of its process is counted and does not block the next report.
    expect((await newReport(running, key, 'next')).reportId).not.toBe(receipt!.reportId);
  });

  test('does not stop another process from giving the same receipt', async () => {
    const twin = await installation.start({ role: 'api', env: { DATABASE_URL: database.url } });
    try {
      const both = Array.from({ length: 8 }, (_, nth) =>
        receiptOf(submitReport(nth % 2 === 0 ? running! : twin, key, 'twins')),
      );
      const receipts = await Promise.all(both);
      expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
      expect((await stored()).filter(({ token }) => token === 'twins')).toHaveLength(1);
    } finally {
      await twin.stop();
    }
  });
});

describe('a database that goes away while reports come in', () => {
  let server: PrivateServer;
  beforeAll(async () => {
    server = await startPrivateServer();
  });
  afterAll(() => server?.stop());

  test('loses no report with a receipt, doubles none, and keeps every account within its limits', async () => {
    const served = await serveCivic(await server.createDatabase('civic'), {
      ...MANY_CLIENTS,
      CIVIC_STATEMENT_TIMEOUT: 'PT5S',
    });
    try {
      const accounts: { readonly accountId: string; readonly key: string }[] = [];
      for (let number = 0; number < 4; number += 1) {
        const accountId = await served.openAccount();
        accounts.push({ accountId, key: (await served.issueKey(accountId)).secret });
      }
      const receipts = new Map<string, ReportReceipt>();
      const refusals = new Map<string, number>();
      const over = new AbortController();
      let requests = 0;

      /** Repeats the same token until the report is accepted, as a customer does. */
      const report = async ({ accountId, key }: (typeof accounts)[number]): Promise<void> => {
        for (let number = 0; !over.signal.aborted && number < 20; number += 1) {
          const token = `token-${number}`;
          while (!over.signal.aborted) {
            requests += 1;
            const response = await submitReport(served, key, token).catch(() => null);
            if (response?.status === 202) {
              receipts.set(
                `${accountId} ${token}`,
                reportReceipt.parse(((await response.json()) as { data: unknown }).data),
              );
              break;
            }
            const refused = response === null ? 'no answer' : `${response.status} ${await codeOf(response)}`;
            refusals.set(refused, (refusals.get(refused) ?? 0) + 1);
            await after(20);
          }
        }
      };
      const minutes = async (): Promise<void> => {
        while (!over.signal.aborted) {
          await after(150);
          served.clock.advance(60_000);
        }
      };
      const restarts = async (): Promise<void> => {
        for (const how of ['kill', 'clean', 'kill'] as const) {
          const before = receipts.size;
          await untilReached('receipts', before + 9, () => receipts.size);
          await server.restart(how);
        }
        const before = receipts.size;
        await untilReached('receipts after the last restart', before + 9, () => receipts.size);
        over.abort();
      };
      await Promise.all([...accounts.map(report), minutes(), restarts().finally(() => over.abort())]);

      expect(
        [...refusals.keys()].filter(
          (refused) => !/^(503 authentication_unavailable|429 submit_rate_limited)$/.test(refused),
        ),
      ).toEqual([]);
      expect(refusals.has('503 authentication_unavailable')).toBe(true);
      expect(requests).toBeGreaterThan(receipts.size);

      served.clock.advance(60_000);
      for (const { accountId, key } of accounts) {
        const events = await served.civic.log.readStream(accountReportsStream(accountId), -1, 1000);
        const stored = events.map(({ data }) => JSON.parse(data) as ReportReceipt & { token: string });
        expect(new Set(stored.map(({ token }) => token)).size).toBe(stored.length);
        expect(stored.length).toBeLessThanOrEqual(20);
        for (const { reportId, token } of stored) {
          const receipt = receipts.get(`${accountId} ${token}`);
          if (receipt === undefined) continue;
          expect(receipt.reportId).toBe(reportId);
          expect(await receiptOf(submitReport(served, key, token))).toEqual(receipt);
        }
        const ownReceipts = [...receipts].filter(([name]) => name.startsWith(accountId));
        expect(ownReceipts.length).toBeGreaterThan(0);
        expect(ownReceipts.filter(([name]) => !stored.some(({ token }) => name.endsWith(` ${token}`)))).toEqual([]);
        for (const [, { reportId }] of ownReceipts) {
          served.clock.advance(2_000);
          expect((await readReport(served, key, reportId)).status).toBe(200);
        }
      }
    } finally {
      await served.close();
    }
  });
});
