import type { Civic } from '../civic.ts';
import { reconcilePayments } from '../reactors/payments/reconcile-payments.ts';
import { dueReports } from '../reactors/reports/report-worker.ts';
import { inTurn, type Regular } from './in-turn.ts';
import type { Repetition } from './repeat.ts';
import { does, type ServeRole } from './roles.ts';

const MINUTE_MS = 60_000;
const MERGE_COUNTS_EVERY_MS = 1_000;
const RECONCILE_EVERY_MS = 5_000;
const POLL_EVERY_MS = 15 * MINUTE_MS;
/** How soon another process takes up what is due. */
const LOOK_EVERY_MS = 5_000;

/** What a process of this role does again and again, until the signal aborts. */
export const regularWork = (civic: Civic, role: ServeRole, signal: AbortSignal): readonly Repetition[] => {
  const work: Repetition[] = [];
  const turnParts = { turns: civic.regularTurns, ...civic.projectorDependencies };
  const alone = (what: string, regular: Regular): void => {
    work.push({ what, everyMs: LOOK_EVERY_MS, run: () => inTurn(turnParts, regular, signal) });
  };
  if (does(role, 'count public requests together')) {
    const run = () => civic.publicLimits.merge(civic.clock.now());
    work.push({ what: 'counting public requests together', everyMs: MERGE_COUNTS_EVERY_MS, run });
  }
  if (does(role, 'reconcile payments')) {
    const run = async () => void (await reconcilePayments(civic.reconciling, signal));
    work.push({ what: 'reconciling payments', everyMs: RECONCILE_EVERY_MS, run });
  }
  if (does(role, 'look at reports that are due')) {
    const run = async (mine: AbortSignal) => void (await dueReports(civic.reporting.worker, mine));
    alone('working on reports', { name: 'due reports', everyMs: MINUTE_MS, run });
  }
  if (does(role, 'prune the record history')) {
    alone('pruning', { name: 'prune', everyMs: MINUTE_MS, run: async () => void (await civic.prune()) });
  }
  if (does(role, 'poll the sources of CIVIC_POLL')) {
    for (const client of civic.settings.CIVIC_POLL?.split(',') ?? []) {
      const run = async (mine: AbortSignal) => {
        const { appended, removed, failure } = await civic.syncLegistar({ client, signal: mine });
        civic.logger.info({ client, appended, removed, failure }, 'source polled');
      };
      alone(`polling ${client}`, { name: `poll ${client}`, everyMs: POLL_EVERY_MS, run });
    }
  }
  return work;
};
