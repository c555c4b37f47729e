import { hash } from 'node:crypto';

const START = 1 << 16;
const FULL = 0.6;
const NOTHING = -1;

/**
 * A map from texts to numbers in about 30 bytes per text. It compares 64 bits of a hash: among a billion texts, two are confused with a
 * probability of 3 %.
 */
export class SeenKeys {
  #keys = new BigUint64Array(START);
  #values = new Int32Array(START).fill(NOTHING);
  size = 0;

  /** Sets the number of a text, at least 0; returns the former one, or -1. */
  put(text: string, value: number): number {
    if (this.size > FULL * this.#values.length) this.#grow();
    const before = this.#set(hash('sha256', text, 'buffer').readBigUInt64LE(), value);
    if (before === NOTHING) this.size += 1;
    return before;
  }

  #set(key: bigint, value: number): number {
    const mask = this.#values.length - 1;
    let at = Number(key & 0xffff_ffffn) & mask;
    while (this.#values[at] !== NOTHING && this.#keys[at] !== key) at = (at + 1) & mask;
    const before = this.#values[at]!;
    this.#keys[at] = key;
    this.#values[at] = value;
    return before;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new BigUint64Array(values.length * 2);
    this.#values = new Int32Array(values.length * 2).fill(NOTHING);
    for (const [at, value] of values.entries()) if (value !== NOTHING) this.#set(keys[at]!, value);
  }
}
