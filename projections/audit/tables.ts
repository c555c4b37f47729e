import { generationTable } from '../../domain/ports/projection.ts';

/** Who wrote what: one row for each write of a customer, and for each of an operator on an account. Times are milliseconds since the epoch. */
export const AUDIT = 'audit';

export const auditTable = (generation: number): string => generationTable(AUDIT, generation);

export const createAuditTable = (generation: number): readonly string[] => [
  `create table ${auditTable(generation)} (
    account_id uuid not null,
    position text collate "C" not null,
    at bigint not null,
    action text not null,
    subject text not null,
    key_id text,
    request_id text,
    primary key (account_id, position)
  )`,
  `comment on column ${auditTable(generation)}.key_id is 'The key that the request came with; null where an operator did it.'`,
];
