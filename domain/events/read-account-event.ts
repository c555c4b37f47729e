import type { StoredEvent } from '../ports/event-log.ts';
import { ACCOUNT_EVENTS, type AccountEvent, type AccountEventType } from './account-events.ts';

/** An account event as stored in any version, in its current shape. Throws for an event of another category. */
export const readAccountEvent = (stored: Pick<StoredEvent, 'type' | 'data'>): AccountEvent => {
  if (!Object.hasOwn(ACCOUNT_EVENTS, stored.type)) throw new Error(`${stored.type} is no event of an account`);
  const type = stored.type as AccountEventType;
  return { type, data: ACCOUNT_EVENTS[type].parse(JSON.parse(stored.data)) } as AccountEvent;
};
