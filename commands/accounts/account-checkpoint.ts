import { z } from 'zod';
import { channel, tier } from '../../src/domain/events/account-events.ts';
import { dateTime, uuid } from '../../src/domain/records/fields.ts';
import type { CheckpointForm } from '../decider.ts';
import type { AccountState } from './account-state.ts';

const kept = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('absent') }),
  z.strictObject({
    kind: z.literal('open'),
    suspended: z.boolean(),
    channel,
    tier,
    paidUntil: dateTime.nullable(),
    paidAt: dateTime.nullable(),
    keys: z.array(z.tuple([uuid, z.strictObject({ sha256: z.string(), revoked: z.boolean() })])),
  }),
]);

/** An account that pays by the call is told of each payment: its stream grows without end, and what its commands need of it does not. */
export const accountCheckpoint: CheckpointForm<AccountState> = {
  name: 'accounts',
  version: 1,
  every: 200,
  write: (state) => (state.kind === 'absent' ? state : { ...state, keys: [...state.keys] }),
  read(written) {
    const state = kept.parse(written);
    return state.kind === 'absent' ? state : { ...state, keys: new Map(state.keys) };
  },
};
