import { CIVIC_COMMAND } from '../../../plumbing/program-files.ts';

/** Command with which an operator of a new installation reads a first real source. */
export const FIRST_SYNC = `${CIVIC_COMMAND} sources sync legistar --client cityofdallas`;
