import { createHash } from 'node:crypto';

/** 48 bits of a hash as a number: an order and a split that depend on nothing but the texts. */
export const hashed = (salt: string, id: string): number =>
  createHash('sha256').update(`${salt}\n${id}`).digest().readUIntBE(0, 6);
