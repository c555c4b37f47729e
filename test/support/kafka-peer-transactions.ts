import type { PeerPartition } from './kafka-peer-partition.ts';
import { CODES } from './kafka-peer-wire.ts';

export interface OffsetEntry {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly metadata: string | null;
}

interface Transactional {
  readonly producer: bigint;
  epoch: number;
  timeoutMs: number;
  /** Null between transactions. */
  open: {
    readonly partitions: Set<PeerPartition>;
    readonly groups: Set<string>;
    readonly offsets: OffsetEntry[];
    readonly until: number;
  } | null;
}

/** The coordinator of transactions: a producer that is opened again under a name fences the one before. */
export class PeerTransactions {
  readonly #named = new Map<string, Transactional>();
  readonly #commitOffsets: (entries: readonly OffsetEntry[]) => void;
  #lastProducer = 1000n;

  constructor(commitOffsets: (entries: readonly OffsetEntry[]) => void) {
    this.#commitOffsets = commitOffsets;
  }

  /** Aborts the transaction that an earlier producer of this name left open. */
  init(name: string | null, timeoutMs: number): { readonly producer: bigint; readonly epoch: number } {
    if (name === null) return { producer: (this.#lastProducer += 1n), epoch: 0 };
    const existing = this.#named.get(name);
    if (existing === undefined) {
      const created: Transactional = { producer: (this.#lastProducer += 1n), epoch: 0, timeoutMs, open: null };
      this.#named.set(name, created);
      return { producer: created.producer, epoch: created.epoch };
    }
    existing.epoch += 1;
    existing.timeoutMs = timeoutMs;
    this.#end(existing, false);
    return { producer: existing.producer, epoch: existing.epoch };
  }

  addPartitions(name: string, producer: bigint, epoch: number, partitions: readonly PeerPartition[]): number {
    return this.#during(name, producer, epoch, (transactional) => {
      for (const partition of partitions) this.#begun(transactional).partitions.add(partition);
      return CODES.none;
    });
  }

  addGroup(name: string, producer: bigint, epoch: number, group: string): number {
    return this.#during(name, producer, epoch, (transactional) => {
      this.#begun(transactional).groups.add(group);
      return CODES.none;
    });
  }

  commitLater(name: string, producer: bigint, epoch: number, entries: readonly OffsetEntry[]): number {
    return this.#during(name, producer, epoch, ({ open }) => {
      if (open === null || entries.some(({ group }) => !open.groups.has(group))) return CODES.invalidTransaction;
      open.offsets.push(...entries);
      return CODES.none;
    });
  }

  /** True if a transactional batch may go into a partition. */
  mayWrite(name: string, producer: bigint, epoch: number, partition: PeerPartition): number {
    return this.#during(name, producer, epoch, ({ open }) =>
      open?.partitions.has(partition) ? CODES.none : CODES.invalidTransaction,
    );
  }

  end(name: string, producer: bigint, epoch: number, committed: boolean): number {
    return this.#during(name, producer, epoch, (transactional) => {
      if (transactional.open === null) return CODES.invalidTransaction;
      this.#end(transactional, committed);
      return CODES.none;
    });
  }

  /** Aborts what has been open for longer than its producer allowed, and fences that producer. */
  expire(now: number): void {
    for (const transactional of this.#named.values()) {
      if (transactional.open === null || transactional.open.until > now) continue;
      transactional.epoch += 1;
      this.#end(transactional, false);
    }
  }

  #during(name: string, producer: bigint, epoch: number, work: (transactional: Transactional) => number): number {
    this.expire(Date.now());
    const existing = this.#named.get(name);
    if (existing?.producer !== producer) return CODES.invalidMapping;
    if (existing.epoch !== epoch) return CODES.invalidEpoch;
    return work(existing);
  }

  #begun(transactional: Transactional) {
    return (transactional.open ??= {
      partitions: new Set(),
      groups: new Set(),
      offsets: [],
      until: Date.now() + transactional.timeoutMs,
    });
  }

  #end(transactional: Transactional, committed: boolean): void {
    const { open } = transactional;
    transactional.open = null;
    for (const partition of open?.partitions ?? [])
      partition.mark(transactional.producer, transactional.epoch, committed);
    if (committed) this.#commitOffsets(open?.offsets ?? []);
  }
}
