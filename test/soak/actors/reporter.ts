import type { ReportReceipt } from '../../../contract/data-report.ts';
import { MAX_NEW_REPORTS_A_DAY } from '../../../domain/reports.ts';
import { idempotent, MISSING_RECORD } from '../../support/missing-record.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Customer } from '../customer.ts';
import type { World } from '../world.ts';

const PAUSE_MS = 3_000;
/** A place without records of the writers: otherwise each of their batches would start a check of every open report. */
const ADDRESS = 'https://reports.example.org/meetings/1042';

/** Reports missing records, each under one token until its receipt; a later repeat gives the same receipt. */
export class Reporter {
  readonly receipts = new Map<string, ReportReceipt>();
  /** Tokens that were sent at least once. */
  readonly sent: string[] = [];
  replays = 0;
  readonly accountId: string;
  readonly #name: string;
  readonly #world: World;
  readonly #random: SeededRandom;

  constructor(world: World, { name, accountId, random }: { name: string; accountId: string; random: SeededRandom }) {
    this.#world = world;
    this.#name = name;
    this.accountId = accountId;
    this.#random = random;
  }

  async work(customer: Customer): Promise<void> {
    for (;;) {
      // Most reports of a day are sent at the end: an account may send five a minute and twenty a day.
      const isNew =
        this.receipts.size === 0 || (this.receipts.size < MAX_NEW_REPORTS_A_DAY - 1 && this.#random.chance(0.3));
      const token = isNew
        ? `${this.#name}.${this.sent.length}`
        : [...this.receipts.keys()][this.#random.below(this.receipts.size)]!;
      if (isNew) this.sent.push(token);
      await this.send(customer, token);
      await customer.rest(this.#random.below(2 * PAUSE_MS));
    }
  }

  /** Sends a report, the first time or again, and compares the receipt. */
  async send(customer: Customer, token: string): Promise<void> {
    const { text } = await customer.ask({
      operation: 'submitDataReport',
      path: '/api/v1/data-reports',
      headers: { 'content-type': 'application/json', ...idempotent(token) },
      body: JSON.stringify({ ...MISSING_RECORD, sourceUrl: ADDRESS, sourceRecordId: token }),
    });
    const receipt = (JSON.parse(text) as { data: ReportReceipt }).data;
    const first = this.receipts.get(token);
    if (first === undefined) this.receipts.set(token, receipt);
    else {
      this.replays += 1;
      if (first.reportId !== receipt.reportId)
        this.#world.failures.add(`${token} has the receipts ${first.reportId} and ${receipt.reportId}`);
    }
  }

  /** Checks that every report with a receipt can be read. */
  async readAll(customer: Customer): Promise<void> {
    for (const { reportId } of this.receipts.values()) {
      const { text } = await customer.ask({ operation: 'getDataReport', path: `/api/v1/data-reports/${reportId}` });
      const { data } = JSON.parse(text) as { data: { reportId: string } };
      if (data.reportId !== reportId) this.#world.failures.add(`the report ${reportId} reads as ${data.reportId}`);
    }
  }
}
