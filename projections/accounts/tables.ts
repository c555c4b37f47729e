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
  /** One row for each secret. Admission reads columns that version 4 had with one secret for each key, so that it answers meanwhile. */
  keys: {
    columns: {
      sha256: 'text primary key',
      key_id: UUID,
      account_id: UUID,
      scopes: 'text not null',
      issued_at: NUMBER,
      /** Of the secret: where it was replaced, not after `key_expires_at`. */
      expires_at: 'bigint',
      revoked_at: 'bigint',
      key_issued_at: NUMBER,
      key_expires_at: 'bigint',
      is_current: FLAG,
      label: 'text',
      /** Of the event with the label: an erasure changes the label only where it is of an event that was erased. */
      label_event: 'uuid',
    },
    indexes: { by_account: '(account_id)', by_key: '(key_id)' },
  },
});
