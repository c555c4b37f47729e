import { createHash } from 'node:crypto';
import { type EventLog, NO_STREAM } from '../../domain/ports/event-log.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { accountStream } from '../../domain/streams.ts';
import { below } from './civic-records.ts';

/** An account's life as events: opened, then periods, payments, suspensions, keys issued, labeled, rotated and revoked, in any order that can be. */
export async function appendAccount(log: EventLog, number: number, random: () => number): Promise<void> {
  const stream = accountStream(derivedId('test', 'account', number));
  const keys: string[] = [];
  let rotations = 0;
  const later = (): readonly [string, object] => {
    const at = new Date(Date.UTC(2026, below(random, 12), 1 + below(random, 28))).toISOString();
    switch (below(random, 9)) {
      case 0:
        return ['AccountPeriodSet', { tier: random() < 0.5 ? 'pro' : 'ultra', paidUntil: at }];
      case 1:
        return ['AccountPaymentConfirmed', { paidAt: at }];
      case 2:
        return ['AccountSuspended', {}];
      case 3:
        return ['AccountResumed', {}];
      case 4:
        return ['AccountChannelSet', { channel: (['unset', 'subscription', 'payg'] as const)[below(random, 3)] }];
      case 5:
        if (keys.length > 0) return ['KeyRevoked', { keyId: keys[below(random, keys.length)] }];
        return ['AccountResumed', {}];
      case 6: {
        if (keys.length === 0) return ['AccountSuspended', {}];
        const sha256 = createHash('sha256')
          .update(`${number} ${(rotations += 1)}`)
          .digest('hex');
        return ['KeyRotated', { keyId: keys[below(random, keys.length)], sha256, formerUntil: at }];
      }
      case 7:
        if (keys.length === 0) return ['AccountResumed', {}];
        return ['KeyLabelled', { keyId: keys[below(random, keys.length)], label: `label ${below(random, 100)}` }];
      default: {
        const keyId = derivedId('test', 'key', number, keys.length);
        keys.push(keyId);
        const sha256 = createHash('sha256').update(keyId).digest('hex');
        return ['KeyIssued', { keyId, sha256, scopes: ['civic:read'], expiresAt: random() < 0.5 ? null : at }];
      }
    }
  };
  const opened = [
    'AccountOpened',
    { name: `Account ${number}`, channel: 'subscription', tier: 'none', paidUntil: null },
  ] as const;
  const events = [opened, ...Array.from({ length: 1 + below(random, 12) }, later)].map(([type, data], nth) => ({
    id: derivedId('test', 'account event', number, nth),
    type,
    schemaVersion: 1,
    data: JSON.stringify(data),
    metadata: { commandId: derivedId('test', 'account command', number, nth) },
    time: Date.UTC(2026, 0, 1) + nth,
  }));
  const outcome = await log.append({ stream, expectedRevision: NO_STREAM, events });
  if (outcome.kind !== 'appended') throw new Error(`account ${number} is there already`);
}
