import type { EventLog } from '../../domain/ports/event-log.ts';
import type { Facilitator, PaymentLedger } from '../../domain/ports/payments.ts';

export class Died extends Error {
  override readonly name = 'Died';
}

/** Point at which a process dies: before or after its n-th commit (from 1). */
export interface Death {
  readonly commit: number;
  readonly when: 'before' | 'after';
}

const COMMITS: ReadonlySet<string> = new Set<keyof PaymentLedger | keyof EventLog>([
  'reserve',
  'takeOver',
  'move',
  'settledAfterAll',
  'forget',
  'claimUnknown',
  'claimOne',
  'attempt',
  'postponeCheck',
  'markPublished',
  'append',
]);

export interface Mortal {
  readonly ledger: PaymentLedger;
  readonly log: EventLog;
  readonly facilitator: Facilitator;
  /** Commits made so far. */
  readonly commits: () => number;
  readonly dead: () => boolean;
}

type Port = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** The ports of a process that dies at a given call and does nothing later. */
export function mortal(
  parts: { readonly ledger: PaymentLedger; readonly log: EventLog; readonly facilitator: Facilitator },
  death: Death | null,
): Mortal {
  let commits = 0;
  let dead = false;
  const alive = (): void => {
    if (dead) throw new Died('the program is dead');
  };
  const through = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, name: string) {
        return async (...args: readonly unknown[]) => {
          alive();
          const counted = COMMITS.has(name);
          if (counted) commits += 1;
          const here = counted && commits === death?.commit;
          if (here && death.when === 'before') dead = true;
          alive();
          const result = await (target as Port)[name]!(...args);
          if (here) dead = true;
          alive();
          return result;
        };
      },
    });
  return {
    ledger: through(parts.ledger),
    log: through(parts.log),
    facilitator: through(parts.facilitator),
    commits: () => commits,
    dead: () => dead,
  };
}
