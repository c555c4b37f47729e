import { randomBytes } from 'node:crypto';
import { type AccountCommand, handleAccountCommand, issueKey } from '../../commands/accounts/account-decider.ts';
import { createChargeUnits, createKeyUseStore, createWindowCounts } from '../../infra/postgresql/counters/counts.ts';
import { createLiveReads } from '../../infra/postgresql/read-models/live-reads.ts';
import { accounts } from '../../projections/accounts/projection.ts';
import { createChargeRequest, createLookUpKey } from '../../src/edge/admission/charge-request.ts';
import { type Admission, createAdmission } from '../../src/edge/admission/admit.ts';
import { createKeyUses } from '../../src/edge/admission/key-uses.ts';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import type { AbuseCeiling, AdmissionRules } from '../../domain/plans.ts';
import { type Scope, SCOPES } from '../../domain/events/account-events.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { openTestCivic, type TestCivic } from './civic.ts';
import { startTestDatabase } from './embedded-database.ts';

export const ABUSE_CEILING: AbuseCeiling = {
  sustained: { requests: 1000, seconds: 60 },
  burst: { requests: 100, seconds: 1 },
};
export const BUILT_IN_RULES: AdmissionRules = {
  plans: BUILT_IN_PLANS,
  ceilings: { received: ABUSE_CEILING, handled: ABUSE_CEILING },
  billingEnforced: true,
};

export interface AccountFacts {
  readonly channel?: 'unset' | 'subscription' | 'payg';
  readonly tier?: 'none' | 'pro' | 'ultra';
  /** Clock milliseconds. */
  readonly paidUntil?: number | null;
  readonly suspended?: boolean;
}

export interface KeyFacts {
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: number | null;
  readonly revoked?: boolean;
}

export interface Customer {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** The counters of an account by name, without unused ones. */
export type Counters = Readonly<Record<string, number>>;

/** The program's admission, on a separate database. */
export interface AdmissionBench {
  readonly civic: TestCivic;
  admission(rules?: AdmissionRules): Admission;
  /** The error of the store while it is set. */
  failing: Error | null;
  /** The cause of a 503 as logged by admission. */
  readonly failures: unknown[];
  /** A paid account, on the tier pro by default, and a key of it. `settled` waits for the read models. */
  open(account?: AccountFacts, key?: KeyFacts): Promise<Customer>;
  issue(accountId: string, key?: KeyFacts): Promise<Customer>;
  command(accountId: string, command: AccountCommand): Promise<void>;
  caughtUp(): Promise<void>;
  counters(accountId: string): Promise<Counters>;
  close(): Promise<void>;
}

const iso = (time: number): string => new Date(time).toISOString();

/** `projections`: read models besides accounts. A service on this database waits for all of its own. */
export async function openAdmissionBench(
  now: number,
  projections: readonly Projection[] = [accounts],
): Promise<AdmissionBench> {
  const database = await startTestDatabase();
  const civic = await openTestCivic(database.url);
  civic.clock.time = now;
  civic.startProjector(projections);
  const parts = { log: civic.log, clock: civic.clock, identifiers: civic.identifiers, randomBytes };
  const deadline = () => civic.clock.now() + 60_000;
  const runRows = async <Row>(statement: Statement) => {
    if (bench.failing !== null) throw bench.failing;
    return await civic.database.countRows<Row>(statement);
  };
  const bench: AdmissionBench = {
    civic,
    failing: null,
    failures: [],
    admission: (rules = BUILT_IN_RULES) =>
      createAdmission({
        rules,
        chargeRequest: createChargeRequest(createLiveReads({ ...civic.database.read, rows: runRows }), rules),
        lookUpKey: createLookUpKey(createLiveReads({ ...civic.database.read, rows: runRows }), rules),
        chargeUnits: createChargeUnits(runRows),
        windowCounts: createWindowCounts(runRows),
        onUse: createKeyUses(createKeyUseStore(runRows), (error) => void bench.failures.push(error)),
        onFailure: (error) => void bench.failures.push(error),
      }),
    async open(
      { channel = 'subscription', tier = 'pro', paidUntil = now + 365 * 86_400_000, suspended = false } = {},
      key = {},
    ) {
      const accountId = civic.identifiers.next();
      await bench.command(accountId, {
        type: 'OpenAccount',
        name: 'Test',
        channel,
        tier,
        paidUntil: paidUntil === null ? null : iso(paidUntil),
      });
      if (suspended) await bench.command(accountId, { type: 'SuspendAccount' });
      return await bench.issue(accountId, key);
    },
    async issue(accountId, { scopes = SCOPES, expiresAt = null, revoked = false } = {}) {
      const request = {
        accountId,
        scopes,
        expiresAt: expiresAt === null ? null : iso(expiresAt),
        context: {},
        deadline: deadline(),
      };
      const { keyId, secret } = await issueKey(parts, request);
      if (revoked) await bench.command(accountId, { type: 'RevokeKey', keyId });
      return { accountId, keyId, key: secret };
    },
    async command(accountId, command) {
      const commandId = civic.identifiers.next();
      const handled = await handleAccountCommand(parts, {
        accountId,
        command,
        commandId,
        context: {},
        deadline: deadline(),
      });
      if (handled.kind === 'rejected') throw handled.rejection;
    },
    caughtUp: () => civic.caughtUp(undefined, [accounts.name]),
    async counters(accountId) {
      const rows = await civic.rows(
        `select (case when usable then '' else 'unusable ' end) || c.name, c.used::text from civic.admission_counts a,
          lateral (values ('received', perimeter_ceiling_used), ('received burst', perimeter_burst_used), ('handled', handler_ceiling_used),
            ('handled burst', handler_burst_used), ('minute', minute_used), ('burst', burst_used)) c(name, used)
          where account_id = $1 and c.used > 0
        union all select name, used::text from civic.window_counts where account_id = $1 and used > 0`,
        [accountId],
      );
      return Object.fromEntries(rows.map(([name, used]) => [name!, Number(used)]));
    },
    async close() {
      await civic.close();
      await database.close();
    },
  };
  return bench;
}
