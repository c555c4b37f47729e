import { readModel, TEXT, UUID } from '../tables.ts';

/** One row per current record and reference field that is not null. */
export const RECORD_REFERENCES = readModel('record_references', {
  references: {
    isMain: true,
    columns: { resource: TEXT, record_id: UUID, field: TEXT, target_id: UUID },
    key: ['record_id', 'resource', 'field'],
    indexes: { by_target: '(target_id, resource)' },
    countedBy: ['resource', 'field'],
  },
});
