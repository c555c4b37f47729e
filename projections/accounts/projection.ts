import { ACCOUNT_EVENTS } from '../../src/domain/events/account-events.ts';
import type { StoredEvent } from '../../src/domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../src/domain/ports/projection.ts';
import { sameRows } from '../same-rows.ts';
import { accountChanges } from './account-changes.ts';
import * as statements from './statements.ts';
import { ACCOUNTS, accountsTable, createAccountTables, keysTable } from './tables.ts';

const fold = async (batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> => {
  const changes = accountChanges(batch);
  if (changes.opened.length > 0) await transaction.execute(statements.insertAccounts(generation, changes.opened, columns));
  if (changes.periods.size > 0) await transaction.execute(statements.updatePeriods(generation, changes.periods, columns));
  if (changes.channels.size > 0) await transaction.execute(statements.updateChannels(generation, changes.channels, columns));
  if (changes.payments.size > 0) await transaction.execute(statements.updatePayments(generation, changes.payments, columns));
  if (changes.statuses.size > 0) await transaction.execute(statements.updateStatuses(generation, changes.statuses, columns));
  if (changes.issued.length > 0) await transaction.execute(statements.insertKeys(generation, changes.issued, columns));
  if (changes.revoked.size > 0) await transaction.execute(statements.updateRevoked(generation, changes.revoked, columns));
};

export const accounts: Projection = {
  name: ACCOUNTS,
  version: 3,
  handles: Object.keys(ACCOUNT_EVENTS),
  tables: (generation) => [accountsTable(generation), keysTable(generation)],
  create: createAccountTables,
  fold,
  differences: (left, right) => [sameRows(accountsTable(left), accountsTable(right)), sameRows(keysTable(left), keysTable(right))],
};
