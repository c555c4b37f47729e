import { type AccountEvent, readAccountEvent } from '../../domain/events/account-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { streamId } from '../../domain/streams.ts';

type Data<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data'];

/** The changes of a batch: rows to insert, and for each kind of change the last value of each account or key. */
export interface AccountChanges {
  readonly opened: { readonly accountId: string; readonly time: number; readonly data: Data<'AccountOpened'> }[];
  readonly periods: Map<string, Data<'AccountPeriodSet'>>;
  readonly channels: Map<string, Data<'AccountChannelSet'>['channel']>;
  /** The latest confirmed payment: settlements arrive in any order. */
  readonly payments: Map<string, string>;
  readonly statuses: Map<string, 'active' | 'suspended'>;
  readonly issued: { readonly accountId: string; readonly time: number; readonly data: Data<'KeyIssued'> }[];
  /** Key id to the time of its revocation. */
  readonly revoked: Map<string, number>;
}

/** Events ascending. The first event of an account or key creates it, so kinds of changes can be applied one after the other. */
export function accountChanges(batch: readonly StoredEvent[]): AccountChanges {
  const changes: AccountChanges = {
    opened: [],
    periods: new Map(),
    channels: new Map(),
    payments: new Map(),
    statuses: new Map(),
    issued: [],
    revoked: new Map(),
  };
  for (const stored of batch) {
    const event = readAccountEvent(stored);
    const accountId = streamId(stored.stream);
    const { time } = stored;
    switch (event.type) {
      case 'AccountOpened':
        changes.opened.push({ accountId, time, data: event.data });
        break;
      case 'AccountPeriodSet':
        changes.periods.set(accountId, event.data);
        break;
      case 'AccountChannelSet':
        changes.channels.set(accountId, event.data.channel);
        break;
      case 'AccountPaymentConfirmed':
        keepLatest(changes.payments, accountId, event.data.paidAt);
        break;
      case 'AccountPaymentSettled':
        keepLatest(changes.payments, accountId, event.data.settledAt);
        break;
      case 'AccountPaymentVerified':
      case 'AccountPaymentFailed':
        break;
      case 'AccountSuspended':
        changes.statuses.set(accountId, 'suspended');
        break;
      case 'AccountResumed':
        changes.statuses.set(accountId, 'active');
        break;
      case 'KeyIssued':
        changes.issued.push({ accountId, time, data: event.data });
        break;
      case 'KeyRevoked':
        changes.revoked.set(event.data.keyId, time);
        break;
    }
  }
  return changes;
}

function keepLatest(payments: Map<string, string>, accountId: string, paidAt: string): void {
  const known = payments.get(accountId);
  if (known === undefined || known < paidAt) payments.set(accountId, paidAt);
}
