import { burstBucket, minuteBucket } from '../../domain/allowance-buckets.ts';
import type { ChargeUnits } from '../../domain/ports/admission-counts.ts';
import type { Statement, TextRow } from '../../domain/ports/database.ts';
import { secondsUntil } from '../../domain/ports/window-counts.ts';

const CHARGE = `select allowed, allowance_opens, minute_left, minute_ends, burst_left, burst_ends
  from civic.admit_requests($1::uuid, true, false, true, 1, $2::bigint, $3::bigint, '{}', $4::bigint, $5::bigint)`;

/** Charges the row that admission charges, so that a batch and concurrent requests together never exceed the allowance. */
export const createChargeUnits =
  (run: (statement: Statement) => Promise<readonly TextRow[]>): ChargeUnits =>
  async (accountId, allowances, units, now) => {
    const values = [accountId, units, now, allowances.requestsPerMinute, allowances.burstLimit];
    const [row] = await run({ name: 'charge_further', text: CHARGE, values });
    const [allowed, opens, minuteLeft, minuteEnds, burstLeft, burstEnds] = row!;
    const states = [
      { bucket: minuteBucket(allowances), remaining: Number(minuteLeft), resetSeconds: secondsUntil(Number(minuteEnds), now) },
      { bucket: burstBucket(allowances), remaining: Number(burstLeft), resetSeconds: secondsUntil(Number(burstEnds), now) },
    ];
    return allowed === '1'
      ? { kind: 'charged', states }
      : { kind: 'exhausted', retryAfterSeconds: secondsUntil(Number(opens), now), states };
  };
