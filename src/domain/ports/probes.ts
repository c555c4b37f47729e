import type { SetBack } from './history.ts';
/** What `civic doctor` looks at. A probe tells facts and changes nothing; the doctor judges them. */
export interface FolderFacts {
  /** The folder, or the nearest one above it that exists. */
  readonly path: string;
  readonly writable: boolean;
  readonly freeBytes: number;
}

export interface MachineProbe {
  readonly nodeVersion: string;
  folder(path: string): Promise<FolderFacts>;
  /** Null when the address can be listened on, else the system's word for why not. */
  listens(host: string, port: number): Promise<string | null>;
}

export interface DatabaseFacts {
  readonly version: string;
  /** Of the database's texts. */
  readonly encoding: string;
  readonly schema: 'empty' | 'older' | 'current' | 'newer' | 'foreign';
  readonly pendingMigrations: readonly string[];
  readonly unknownMigrations: readonly string[];
  /** Settings of the server that durability rests on, as it shows them. */
  readonly durability: Readonly<Record<'fsync' | 'full_page_writes' | 'synchronous_commit', string>>;
  /** Milliseconds that the server's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
  /** Milliseconds that a trial clock is ahead; 0 without one. */
  readonly trialOffsetMs: number;
  /** Time of the newest event in milliseconds, null without one or where it cannot be told. */
  readonly newestEventAt: number | null;
  /** Of the server, and the one that the feed was last vouched for on: null where either cannot be told. */
  readonly timeline: { readonly now: string; readonly kept: string } | null;
  readonly standbys: {
    /** Whose receipt a commit waits for, as `synchronous_standby_names` has it; empty where it waits for none. */
    readonly synchronous: string;
    /** Null where this user may not see them. */
    readonly connected: number | null;
  };
  /** Losses of history that no operator has acknowledged. */
  readonly setBacks: readonly SetBack[];
}

export interface BrokersFacts {
  readonly brokers: number;
  /** Of those that the settings name, the ones that are there. */
  readonly topics: readonly string[];
}

export interface Probes {
  readonly machine: MachineProbe;
  /** Looks at the log of `EVENTSTORE_URL`; throws with one line that says why it cannot be had. Null without that setting. */
  readonly eventStore: (() => Promise<void>) | null;
  /** Throws with one line that says why no broker of `KAFKA_BROKERS` can be had. Null without that setting. */
  readonly brokers: (() => Promise<BrokersFacts>) | null;
  /** Throws with one line that says why the database cannot be had. */
  readonly database: () => Promise<DatabaseFacts>;
  /** Whether a service of ours answers at this address of the operator's listener. */
  readonly answersAt: (url: string) => Promise<boolean>;
}
