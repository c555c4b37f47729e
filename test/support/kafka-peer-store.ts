import { PeerPartition } from './kafka-peer-partition.ts';
import { type OffsetEntry, PeerTransactions } from './kafka-peer-transactions.ts';

const MAX_BATCH_BYTES = 1_048_588;

const FIRST_NODE = 1;

/** The persistent state of the brokers: topics, offsets of groups, transactions. Survives a restart of the peer. */
export class PeerStore {
  readonly topics = new Map<string, readonly PeerPartition[]>();
  /** Settings requested at the creation of each topic. */
  readonly configs = new Map<string, ReadonlyMap<string, string | null>>();
  /** Ports of the brokers that serve it, by their number; the first one coordinates groups and transactions. */
  readonly nodes = new Map<number, number>();
  readonly #leaders = new Map<number, number>();
  readonly #offsets = new Map<string, OffsetEntry>();
  readonly transactions = new PeerTransactions((entries) => this.commit(entries));

  create(topic: string, partitions: number, config: ReadonlyMap<string, string | null> = new Map()): boolean {
    if (this.topics.has(topic)) return false;
    const maxBytes = Number(config.get('max.message.bytes') ?? MAX_BATCH_BYTES);
    this.topics.set(
      topic,
      Array.from({ length: partitions }, () => new PeerPartition(maxBytes)),
    );
    this.configs.set(topic, config);
    return true;
  }

  remove(topic: string): void {
    this.topics.delete(topic);
    this.configs.delete(topic);
  }

  partition(topic: string, index: number): PeerPartition | undefined {
    return this.topics.get(topic)?.[index];
  }

  /** The broker that takes the messages of the partitions with this index. */
  leaderOf(index: number): number {
    return this.#leaders.get(index) ?? FIRST_NODE;
  }

  lead(index: number, node: number): void {
    this.#leaders.set(index, node);
  }

  get coordinator(): { readonly node: number; readonly port: number } {
    return { node: FIRST_NODE, port: this.nodes.get(FIRST_NODE)! };
  }

  commit(entries: readonly OffsetEntry[]): void {
    for (const entry of entries) this.#offsets.set(`${entry.group}\n${entry.topic}\n${entry.partition}`, entry);
  }

  committed(group: string, topic: string, partition: number): OffsetEntry | undefined {
    return this.#offsets.get(`${group}\n${topic}\n${partition}`);
  }

  committedBy(group: string): readonly OffsetEntry[] {
    return [...this.#offsets.values()].filter((entry) => entry.group === group);
  }
}
