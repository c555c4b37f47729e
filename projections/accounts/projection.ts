import * as statements from './account-rows.ts';
import { ACCOUNT_EVENTS } from '../../domain/events/account-events.ts';
import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { category } from '../../domain/streams.ts';
import { erasedEvents, type Erasure, foldAroundErasures } from '../fold-around-erasures.ts';
import { sameRows } from '../same-rows.ts';
import { accountChanges } from './account-rows.ts';
import { ACCOUNTS, accountsTable, createAccountTables, keysTable } from './tables.ts';

async function foldEvents(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const changes = accountChanges(batch);
  if (changes.opened.length > 0) await transaction.execute(statements.insertAccounts(generation, changes.opened, columns));
  if (changes.periods.size > 0) await transaction.execute(statements.updatePeriods(generation, changes.periods, columns));
  if (changes.channels.size > 0) await transaction.execute(statements.updateChannels(generation, changes.channels, columns));
  if (changes.payments.size > 0) await transaction.execute(statements.updatePayments(generation, changes.payments, columns));
  if (changes.statuses.size > 0) await transaction.execute(statements.updateStatuses(generation, changes.statuses, columns));
  if (changes.issued.length > 0) await transaction.execute(statements.insertKeys(generation, changes.issued, columns));
  if (changes.revoked.size > 0) await transaction.execute(statements.updateRevoked(generation, changes.revoked, columns));
}

const isAccount = (stream: string): boolean => category(stream) === 'account';

/** The name is the only text here that an erasure can change. */
async function foldErasure(erasure: Erasure, { transaction, columns, generation, reread }: FoldContext): Promise<void> {
  for await (const page of erasedEvents(erasure, isAccount, reread)) {
    const { opened } = accountChanges(page.filter(({ type }) => type === 'AccountOpened'));
    if (opened.length > 0) await transaction.execute(statements.updateNames(generation, opened, columns));
  }
}

export const accounts: Projection = {
  name: ACCOUNTS,
  version: 4,
  handles: [...Object.keys(ACCOUNT_EVENTS), CONTENT_ERASED],
  tables: (generation) => [accountsTable(generation), keysTable(generation)],
  create: createAccountTables,
  fold: foldAroundErasures(foldEvents, foldErasure),
  differences: (left, right) => [sameRows(accountsTable(left), accountsTable(right)), sameRows(keysTable(left), keysTable(right))],
};
