import type { SetBack } from './event-log.ts';

/** Facts that `civic doctor` checks. Probes change nothing. */
export interface FolderFacts {
  /** The folder, or its nearest existing parent. */
  readonly path: string;
  readonly writable: boolean;
  readonly freeBytes: number;
}

export interface MachineProbe {
  readonly nodeVersion: string;
  folder(path: string): Promise<FolderFacts>;
  /** Returns null if the address is free to listen on, otherwise the system's error code. */
  listens(host: string, port: number): Promise<string | null>;
}

export interface DatabaseFacts {
  readonly version: string;
  readonly encoding: string;
  /** True on a standby too. */
  readonly readOnly: boolean;
  readonly schema: 'empty' | 'older' | 'current' | 'newer' | 'foreign';
  readonly pendingMigrations: readonly string[];
  readonly unknownMigrations: readonly string[];
  readonly durability: Readonly<Record<'fsync' | 'full_page_writes' | 'synchronous_commit', string>>;
  /** Milliseconds by which the server's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
  /** Milliseconds by which a trial clock is ahead; 0 without one. */
  readonly trialOffsetMs: number;
  /** Time of the newest event in milliseconds; null if there is none or it is unknown. */
  readonly newestEventAt: number | null;
  /** Timeline of the server, and the one stored with the feed; null if either is unknown. */
  readonly timeline: { readonly now: string; readonly stored: string } | null;
  readonly standbys: {
    /** `synchronous_standby_names` if a commit waits for a standby, otherwise empty. */
    readonly synchronous: string;
    /** Null if the user is not allowed to read it. */
    readonly connected: number | null;
  };
  readonly setBacks: readonly SetBack[];
}

export interface BrokersFacts {
  readonly brokers: number;
  readonly topics: readonly string[];
}

/**
 * Probes of the parts of an installation. Those of log, brokers and database throw a one-line error if the part is
 * unavailable. `installation` throws the reason why no process would start.
 */
export interface Probes {
  readonly machine: MachineProbe;
  /** Needs the current schema. */
  readonly installation: () => Promise<void>;
  /** Null without `EVENTSTORE_URL`. */
  readonly eventStore: (() => Promise<void>) | null;
  /** Null without `KAFKA_BROKERS`. */
  readonly brokers: (() => Promise<BrokersFacts>) | null;
  readonly database: () => Promise<DatabaseFacts>;
  /** Returns true if a service answers at this address of the operator listener. */
  readonly answersAt: (url: string) => Promise<boolean>;
}
