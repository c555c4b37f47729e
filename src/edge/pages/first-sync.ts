import { CIVIC_COMMAND } from '../../../plumbing/program-files.ts';

/** What an operator of a new installation runs to read a first real source. */
export const FIRST_SYNC = `${CIVIC_COMMAND} sources sync legistar --client cityofdallas`;
