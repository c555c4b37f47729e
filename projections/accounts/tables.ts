import { FLAG, ID, NUMBER, readModel, UUID } from '../tables.ts';

export const ACCOUNTS = readModel('accounts', {
  accounts: {
    isMain: true,
    columns: {
      account_id: ID,
      name: 'text not null',
      status: 'text not null',
      channel: 'text not null',
      tier: 'text not null',
      paid_until: 'bigint',
      paid_at: 'bigint',
      opened_at: NUMBER,
    },
  },
  /**
   * One row per secret. Version 4 had one secret per key; admission reads only the columns that both versions have, so
   * it can read version 4 until this one is built.
   */
  keys: {
    columns: {
      sha256: 'text primary key',
      key_id: UUID,
      account_id: UUID,
      scopes: 'text not null',
      issued_at: NUMBER,
      /** Expiry of the secret. A replaced secret expires no later than `key_expires_at`. */
      expires_at: 'bigint',
      revoked_at: 'bigint',
      key_issued_at: NUMBER,
      key_expires_at: 'bigint',
      is_current: FLAG,
      label: 'text',
      /** Id of the event with the label: an erasure changes the label only if it erased that event. */
      label_event: 'uuid',
    },
    indexes: { by_account: '(account_id)', by_key: '(key_id)' },
  },
});
