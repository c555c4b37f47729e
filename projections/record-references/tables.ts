import { generationTable } from '../../domain/ports/projection.ts';

/** Which current record names which other in a reference field: one row per record and field that is not null. */
export const RECORD_REFERENCES = 'record_references';

export const recordReferencesTable = (generation: number): string => generationTable(RECORD_REFERENCES, generation);

export const createRecordReferencesTable = (generation: number): readonly string[] => [
  `create table ${recordReferencesTable(generation)} (
    resource text collate "C" not null,
    record_id uuid not null,
    field text collate "C" not null,
    target_id uuid not null,
    primary key (record_id, resource, field)
  )`,
  `create index record_references_g${generation}_by_target on ${recordReferencesTable(generation)} (target_id, resource)`,
];
