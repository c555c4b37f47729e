import { ID, NUMBER, readModel, UUID } from '../tables.ts';

/** Polling subscriptions, the revoked ones too. Whether one lives hangs on its key as well. Times are milliseconds since the epoch. */
export const SUBSCRIPTIONS = readModel('subscriptions', {
  subscriptions: {
    isMain: true,
    columns: {
      subscription_id: ID,
      account_id: UUID,
      key_id: UUID,
      name: 'text not null',
      resource: 'text',
      start_cursor: 'text not null',
      created_at: NUMBER,
      revoked_at: 'bigint',
    },
    indexes: { by_account: '(account_id) where revoked_at is null' },
  },
});
