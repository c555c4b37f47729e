import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { Rejection } from '../../domain/rejections.ts';
import { accountFeedsStream } from '../../domain/streams.ts';
import { handle } from '../handle.ts';
import type { SubscriptionCaller, SubscriptionParts } from './create-subscription.ts';
import { NO_SUCH_FEED, subscriptionDecider } from './subscription-decider.ts';

export interface Revocation extends SubscriptionCaller {
  /** A lower-case uuid. */
  readonly subscriptionId: string;
}

export interface RevocationParts extends SubscriptionParts {
  /** When the caller's subscription was revoked, as the read model knows it; null where it was not, or is none of this key. */
  readonly revokedBefore: (revocation: Revocation) => Promise<string | null>;
}

/**
 * Revokes a polling subscription of exactly this key (DELETE /api/v1/data/subscriptions/{subscriptionId}); asked again it
 * returns the first time. Refuses with 404; 504 when the read model has not followed in time, and then the revocation stands.
 */
export const createRevokeSubscription =
  (parts: RevocationParts) =>
  async (revocation: Revocation): Promise<{ readonly id: string; readonly revokedAt: string }> => {
    const { accountId, keyId, requestId, subscriptionId: id } = revocation;
    const deadline = parts.clock.now() + parts.deadlineMs;
    const revokedAt = new Date(parts.clock.now()).toISOString();
    const handled = await parts.withMutex(accountId, () => {
      if (parts.clock.now() >= deadline) throw new DeadlineExceeded('the account has too many subscriptions under way');
      return handle({
        ...parts,
        decider: subscriptionDecider,
        stream: accountFeedsStream(accountId),
        command: { type: 'RevokeFeedSubscription', id, keyId, revokedAt },
        commandId: parts.identifiers.next(),
        context: { accountId, keyId, requestId },
        deadline,
      });
    });
    if (handled.kind === 'rejected') throw handled.rejection;
    if (handled.position !== null && !(await parts.visible(handled.position, deadline))) {
      throw new DeadlineExceeded('the subscription stands as it was asked for, but that cannot be read yet');
    }
    if (handled.kind === 'appended') return { id, revokedAt };
    const before = handled.position === null ? null : await parts.revokedBefore(revocation);
    if (before === null) throw new Rejection('not_found', NO_SUCH_FEED);
    return { id, revokedAt: before };
  };
