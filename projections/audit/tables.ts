import { NUMBER, readModel, TEXT, UUID } from '../tables.ts';

/** One row per write of a customer and per change of an account by an operator. */
export const AUDIT = readModel('audit', {
  audit: {
    isMain: true,
    columns: {
      account_id: UUID,
      position: TEXT,
      at: NUMBER,
      action: 'text not null',
      subject: 'text not null',
      key_id: 'text',
      request_id: 'text',
    },
    key: ['account_id', 'position'],
    more: (table) => [
      `comment on column ${table}.key_id is 'The key that the request came with; null where an operator did it.'`,
    ],
  },
});
