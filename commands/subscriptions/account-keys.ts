import { z } from 'zod';
import { keyIssued, keyRevoked } from '../../domain/events/account-events.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import type { Fold } from '../decider.ts';

const keptKey = z.strictObject({ keyId: uuid, expiresAt: dateTime.nullable(), revoked: z.boolean() });
type KeptKey = z.output<typeof keptKey>;

/** An account's keys by id, from the account's own stream. */
export type AccountKeys = ReadonlyMap<string, KeptKey>;

type KeyEvent = { readonly type: 'issued'; readonly key: KeptKey } | { readonly type: 'revoked'; readonly keyId: string } | null;

/** Folds what an account's stream says of its keys, and nothing else of it. */
export const accountKeys: Fold<AccountKeys, KeyEvent> = {
  initialState: () => new Map(),
  evolve(keys, event) {
    if (event === null) return keys;
    if (event.type === 'issued') return new Map(keys).set(event.key.keyId, event.key);
    const key = keys.get(event.keyId);
    return key === undefined ? keys : new Map(keys).set(event.keyId, { ...key, revoked: true });
  },
  read({ type, data }) {
    if (type === 'KeyIssued') {
      const { keyId, expiresAt } = keyIssued.parse(JSON.parse(data));
      return { type: 'issued', key: { keyId, expiresAt, revoked: false } };
    }
    return type === 'KeyRevoked' ? { type: 'revoked', keyId: keyRevoked.parse(JSON.parse(data)).keyId } : null;
  },
  checkpoint: {
    name: 'account_keys',
    version: 1,
    every: 100,
    write: (keys) => [...keys.values()],
    read: (written) =>
      new Map(
        z
          .array(keptKey)
          .parse(written)
          .map((key) => [key.keyId, key]),
      ),
  },
};

/** Whether a key that was issued works no more; `now` is clock milliseconds. */
export const isDead = ({ expiresAt, revoked }: KeptKey, now: number): boolean =>
  revoked || (expiresAt !== null && Date.parse(expiresAt) <= now);
