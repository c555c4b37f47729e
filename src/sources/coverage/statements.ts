import type { CoverageStatus } from '../../domain/coverage.ts';

export const REGION = 'North-central Texas';

export const STATUS_DEFINITIONS: Readonly<Record<CoverageStatus, string>> = {
  M: 'A machine-readable official endpoint for this family was located.',
  D: 'Official documents for this family (PDF files or pages) were located.',
  P: 'Only an interactive official portal for this family was located.',
  R: 'The records of this family were found to be available on request only.',
  U: 'Not yet verified: nothing is claimed about this family.',
  N: 'Researched, and no official source of this family was found.',
};

export const SCOPE_STATEMENT =
  'A status says what research located for the named family of the named jurisdiction and nothing else: not full coverage, not current ' +
  'completeness, not permission to reuse, and not that this service ingests it. A date says that the address is known to have answered on ' +
  'that day or later. An address that belongs to a supplier of the government is named where the government publishes through it.';
