import { ID, NUMBER, readModel, UUID } from '../tables.ts';

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
  keys: {
    columns: {
      key_id: ID,
      account_id: UUID,
      sha256: 'text not null unique',
      scopes: 'text not null',
      issued_at: NUMBER,
      expires_at: 'bigint',
      revoked_at: 'bigint',
    },
    indexes: { by_account: '(account_id)' },
  },
});
