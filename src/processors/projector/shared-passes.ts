import type { LogBatch, Position } from '../../../domain/ports/event-log.ts';
import { foldOrPause, foldTogether, leaseLost, type FoldTarget, type ProjectorDependencies } from './fold-batch.ts';

interface Member {
  readonly target: FoldTarget;
  readonly signal: AbortSignal;
  /** A build: nothing but its own fold delays it or fails with it. */
  readonly alone: boolean;
  checkpoint: Position;
  /** Id of the event there, where a batch has ended with it. */
  checkpointId: string | undefined;
  /** Resolves with what it has to fold by itself, after a transaction that failed; rejects with the reason why it folds no more. */
  readonly left: PromiseWithResolvers<{ readonly from: Position; readonly batch: LogBatch }>;
}

/** Follows the log for its members: one read, one decoding and one transaction for all of them. */
interface Pass {
  readonly members: Set<Member>;
  isFolding: boolean;
  /** Aborts when members have joined, or none is left. */
  changed: AbortController;
}

/** The member with the lowest checkpoint: those that are ahead pass over what they have folded. */
const lastOf = ({ members }: Pass): Member => [...members].reduce((last, each) => (each.checkpoint < last.checkpoint ? each : last));
const positionOf = (pass: Pass): Position => lastOf(pass).checkpoint;

/**
 * Generations within one batch of each other are folded in one pass. Each keeps its own checkpoint and lease: one that is lost leaves the
 * pass, and the others go on. Where the transaction fails, each folds the batch by itself and then joins a pass again.
 */
export function createSharedPasses(deps: ProjectorDependencies) {
  const passes = new Set<Pass>();

  const isNear = (one: Position, other: Position): boolean =>
    one === other || Math.abs(deps.log.distance(one, other) ?? Number.POSITIVE_INFINITY) <= deps.batchSize;

  const passAt = (position: Position, but?: Pass): Pass | undefined =>
    passes.values().find((pass) => pass !== but && ![...pass.members].some(({ alone }) => alone) && isNear(positionOf(pass), position));

  const add = (pass: Pass, members: Iterable<Member>): void => {
    for (const member of members) pass.members.add(member);
    pass.changed.abort();
  };

  const remove = (pass: Pass, member: Member): void => {
    pass.members.delete(member);
    if (pass.members.size > 0) return;
    passes.delete(pass);
    pass.changed.abort();
  };

  const leave = (pass: Pass, member: Member, reason: unknown): void => {
    remove(pass, member);
    member.left.reject(reason);
  };

  const leaveStopped = (pass: Pass): void => {
    for (const member of pass.members) if (member.signal.aborted) leave(pass, member, member.signal.reason);
  };

  const fold = async (pass: Pass, batch: LogBatch): Promise<void> => {
    const parts = [...pass.members]
      .filter(({ checkpoint }) => checkpoint < batch.scannedTo)
      .map((member) => {
        const { target, checkpoint: from } = member;
        const handles = new Set(target.projection.handles);
        return {
          member,
          target,
          from,
          batch: { ...batch, events: batch.events.filter(({ type, position }) => position > from && handles.has(type)) },
        };
      });
    pass.isFolding = true;
    try {
      const lost = await foldTogether(deps, parts);
      for (const { member, target } of parts) {
        if (lost.has(target)) leave(pass, member, leaseLost(target));
        else [member.checkpoint, member.checkpointId] = [batch.scannedTo, batch.scannedId];
      }
    } catch {
      // Each meets its own failure again, and only the one at fault is paused.
      for (const { member, from, batch: own } of parts) {
        remove(pass, member);
        member.left.resolve({ from, batch: own });
      }
    } finally {
      pass.isFolding = false;
    }
    leaveStopped(pass);
  };

  const follow = async (pass: Pass): Promise<void> => {
    while (pass.members.size > 0) {
      pass.changed = new AbortController();
      const { signal } = pass.changed;
      const types = [...new Set([...pass.members].flatMap(({ target }) => target.projection.handles))];
      const { checkpoint: after, checkpointId: afterId } = lastOf(pass);
      for await (const batch of deps.log.subscribe({ after, afterId, batchSize: deps.batchSize, types, signal })) {
        // It was on its way when a member joined, and may lack events of that member.
        if (signal.aborted) break;
        await fold(pass, batch);
        if (pass.members.size === 0) return;
        const other = [...pass.members].some(({ alone }) => alone) ? undefined : passAt(positionOf(pass), pass);
        if (other !== undefined) {
          const members = [...pass.members];
          pass.members.clear();
          passes.delete(pass);
          add(other, members);
          return;
        }
        if (signal.aborted) break;
      }
    }
  };

  const join = (member: Member): void => {
    const near = member.alone ? undefined : passAt(member.checkpoint);
    // The history of a pass is checked from its lowest checkpoint, whose event must be known.
    const isChecked = near !== undefined && (member.checkpointId !== undefined || member.checkpoint >= positionOf(near));
    if (isChecked) return add(near, [member]);
    const pass: Pass = { members: new Set([member]), isFolding: false, changed: new AbortController() };
    passes.add(pass);
    void follow(pass).catch((error: unknown) => {
      for (const each of pass.members) leave(pass, each, error);
    });
  };

  /** Folds from a checkpoint until the signal aborts. Throws its reason, `LeaseLost`, `ProcessorPaused`, and what the log throws. */
  return async (target: FoldTarget, from: Position, signal: AbortSignal, { alone }: { readonly alone: boolean }): Promise<never> => {
    let checkpointId: string | undefined;
    for (let checkpoint = from; ; ) {
      signal.throwIfAborted();
      const member: Member = { target, signal, alone, checkpoint, checkpointId, left: Promise.withResolvers() };
      const stop = (): void => {
        for (const pass of passes) if (pass.members.has(member) && !pass.isFolding) leaveStopped(pass);
      };
      signal.addEventListener('abort', stop, { once: true });
      join(member);
      const left = await member.left.promise.finally(() => signal.removeEventListener('abort', stop));
      checkpoint = await foldOrPause(deps, target, left.from, left.batch, signal);
      checkpointId = left.batch.scannedId;
    }
  };
}
