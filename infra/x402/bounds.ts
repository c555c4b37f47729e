/** Bytes. A receipt of a transaction with a thousand logs and the hashes of a full block fit; a facilitator's verdict has a few hundred. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
