import type { Position } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import type { CommandContext } from '../decider.ts';

/** A change of one record. `causedBy` is the event that a reactor reacts to. The schema of the resource checks and normalises `content`. */
export type RecordChange =
  | { readonly op: 'upsert'; readonly resource: Resource; readonly id: string; readonly content: unknown; readonly causedBy?: string }
  | {
      readonly op: 'remove';
      readonly resource: Resource;
      readonly id: string;
      readonly reason?: string | null;
      readonly causedBy?: string;
    };

export type RecordOutcome =
  | { readonly kind: 'appended'; readonly position: Position }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly reason: string };

/** A command that is repeated after a crash or by another process; it is stored once. */
export interface Delivery {
  /** The same in each attempt. */
  readonly commandId: string;
  /** A number for each change, the same in each attempt; event ids derive from it. */
  readonly numbers: readonly number[];
  /** Streams whose changes an earlier try has stored: they are passed over. */
  readonly stored: ReadonlySet<string>;
  /**
   * Awaited right before each append, with the revision that every stream must have then; throws when the command is no longer this process's to
   * give.
   */
  readonly claim: (revisions: ReadonlyMap<string, number>) => Promise<void>;
}

/** Writes changes of records, for importers, connectors, seeds and reactors. */
export interface RecordWriter {
  /** Outcomes in the order of the changes; several changes of one record are applied in their order. */
  write(changes: readonly RecordChange[], context: CommandContext, delivery?: Delivery): Promise<readonly RecordOutcome[]>;
}
