import { ID, NUMBER, readModel, UUID } from '../tables.ts';

/** All subscriptions, including revoked ones. Each also ends with its key. */
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
