import { ACCOUNT_EVENTS, readAccountEvent } from '../../domain/events/account-events.ts';
import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { streamId } from '../../domain/streams.ts';
import { type Erasure, erasedEvents, foldAroundErasures } from '../fold-around-erasures.ts';
import { projection } from '../projection.ts';
import { insert, unlessNull, update } from '../rows.ts';
import { milliseconds, type Row } from '../tables.ts';
import { ACCOUNTS } from './tables.ts';

/** Null for each column that a batch does not change, except `paid_until`, which is set together with `tier`. */
const UNCHANGED = { tier: null, paid_until: null, channel: null, paid_at: null, status: null };
type AccountChange = { readonly [Name in keyof typeof UNCHANGED]: string | number | null };

/** Times in milliseconds since the epoch. */
type Rotation = readonly [keyId: string, sha256: string, issuedAt: number, formerUntil: number];

/**
 * Collects the changes of a batch in log order. The first event of an account or key creates it, so the kinds of
 * changes can be applied one after another.
 */
function accountChanges(batch: readonly StoredEvent[]) {
  const [opened, issued, labeled, revoked]: [Row[], Row[], Row[], Row[]] = [[], [], [], []];
  const rotated: Rotation[] = [];
  const changes = new Map<string, AccountChange>();
  for (const stored of batch) {
    const { type, data } = readAccountEvent(stored);
    const account_id = streamId(stored.stream);
    const before = changes.get(account_id) ?? UNCHANGED;
    const change = (values: Partial<AccountChange>) => changes.set(account_id, { ...before, ...values });
    // Settlements arrive in any order, so the latest payment counts.
    const paid = (time: string) => change({ paid_at: Math.max(Number(before.paid_at), Date.parse(time)) });
    switch (type) {
      case 'AccountOpened': {
        const { paidUntil, ...chosen } = data;
        opened.push({
          account_id,
          ...chosen,
          status: 'active',
          paid_until: milliseconds(paidUntil),
          opened_at: stored.time,
        });
        break;
      }
      case 'AccountPeriodSet':
        change({ tier: data.tier, paid_until: milliseconds(data.paidUntil) });
        break;
      case 'AccountChannelSet':
        change({ channel: data.channel });
        break;
      case 'AccountPaymentConfirmed':
        paid(data.paidAt);
        break;
      case 'AccountPaymentSettled':
        paid(data.settledAt);
        break;
      case 'AccountPaymentVerified':
      case 'AccountPaymentFailed':
        break;
      case 'AccountSuspended':
        change({ status: 'suspended' });
        break;
      case 'AccountResumed':
        change({ status: 'active' });
        break;
      case 'KeyIssued': {
        const { keyId, sha256, scopes, expiresAt } = data;
        const [from, to] = [stored.time, milliseconds(expiresAt)];
        const times = { issued_at: from, expires_at: to, key_issued_at: from, key_expires_at: to };
        issued.push({ key_id: keyId, account_id, sha256, scopes: scopes.join(' '), ...times, is_current: true });
        break;
      }
      case 'KeyLabelled':
        labeled.push({ key_id: data.keyId, label: data.label, label_event: stored.id });
        break;
      case 'KeyRotated':
        rotated.push([data.keyId, data.sha256, stored.time, Date.parse(data.formerUntil)]);
        break;
      case 'KeyRevoked':
        revoked.push({ key_id: data.keyId, revoked_at: stored.time });
        break;
    }
  }
  return {
    opened,
    issued,
    labeled,
    rotated,
    revoked,
    changed: [...changes].map(([account_id, values]) => ({ account_id, ...values })),
  };
}

const { accounts: accountsTable, keys } = ACCOUNTS.tables;

const COPIED = 'key_id, account_id, scopes, revoked_at, key_issued_at, key_expires_at, label, label_event';

/**
 * Adds a secret that lasts as long as the key; earlier ones end at `$4` or at their own earlier end. Rotations are
 * rare.
 */
const rotate = ({ transaction, generation }: FoldContext, values: Rotation) =>
  transaction.query({
    text: `with made as (
        insert into ${keys.at(generation)} (sha256, issued_at, expires_at, is_current, ${COPIED})
        select $2::text, $3::bigint, key_expires_at, true, ${COPIED} from ${keys.at(generation)} where key_id = $1::uuid and is_current
      )
      update ${keys.at(generation)} set is_current = false, expires_at = least(expires_at, $4::bigint) where key_id = $1::uuid`,
    values,
  });

async function foldEvents(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const { opened, issued, labeled, rotated, revoked, changed } = accountChanges(batch);
  await insert(context, accountsTable, opened);
  await update(context, accountsTable, changed, {
    ...unlessNull('tier', 'channel', 'status'),
    paid_until: 'case when r.tier is null then t.paid_until else r.paid_until end',
    paid_at: 'greatest(t.paid_at, r.paid_at)',
  });
  await insert(context, keys, issued);
  await update(context, keys, labeled);
  for (const rotation of rotated) await rotate(context, rotation);
  await update(context, keys, revoked);
}

/** Rewrites the only texts here that an erasure can change: the name of an account and the label of a key. */
async function foldErasure(erasure: Erasure, context: FoldContext): Promise<void> {
  for await (const page of erasedEvents(erasure, context, (category) => category === 'account')) {
    const { opened, labeled } = accountChanges(
      page.filter(({ type }) => type === 'AccountOpened' || type === 'KeyLabelled'),
    );
    const renamed = opened.map(({ account_id, name }) => ({ account_id: account_id!, name: name! }));
    await update(context, accountsTable, renamed);
    const relabeled = labeled.map(({ label, label_event }) => ({ label_event: label_event!, label: label! }));
    await update(context, keys, relabeled);
  }
}

export const accounts = projection(ACCOUNTS, {
  version: 5,
  handles: [...Object.keys(ACCOUNT_EVENTS), CONTENT_ERASED],
  fold: foldAroundErasures(foldEvents, foldErasure),
});
