import { ToolRefusal } from '../../../contract/tools/tool-errors.ts';
import { InvalidSearchCursor } from '../../../domain/cursor.ts';
import { localDay } from '../../../domain/local-day.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { resolveWithin } from '../../../plumbing/retry.ts';
import type { SearchAgendaData, SearchAgendaInput } from '../../../contract/tools/search-agenda.ts';
import { createGetAgendaItem } from '../../../queries/agenda/get-agenda-item.ts';
import { createSearchDocuments, type FoundDocument } from '../../../queries/search/search-documents.ts';
import { createSearchAgenda } from '../../../queries/search/search-agenda.ts';
import { REGION_TIME_ZONE } from '../../sources/catalogue/catalogue-records.ts';
import { leaveOnAbort, limitConcurrency } from '../../edge/admission/limit-concurrency.ts';
import type { ToolFunctions } from '../../edge/mcp/run-tool.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

/** Enough for five full batches of tool calls. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 1_000;
/** All page visitors together get the concurrency of one account, so that accounts find a free connection. */
const PAGES = 'pages';
/** One search of each of this many clients can wait: a visitor who waits for his turn is answered. */
const MAX_WAITING_CLIENTS = 5_000;

/** Searches agenda items, on separate connections, and reads single items. */
export function search({ settings, reads, clock, database, deadlineMs }: Platform) {
  const bounds = {
    concurrency: settings.CIVIC_SEARCH_CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    clock,
  };
  const runForAccount = limitConcurrency({ ...bounds, what: 'searches of this account' });
  // A client has one place in the queue of all visitors, so each turn of that queue goes to another client.
  const waiting = { ...bounds, maxWaitMs: deadlineMs };
  const runForClient = limitConcurrency({ ...waiting, concurrency: 1, what: 'searches of this address' });
  const runForPages = limitConcurrency({
    ...waiting,
    maxWaiting: MAX_WAITING_CLIENTS,
    what: 'searches of all visitors',
  });
  const readsUntil = (signal: AbortSignal) => reads.through((statement) => database.search(statement, signal));
  const searchAgenda = createSearchAgenda({ reads: readsUntil, clock, timezone: REGION_TIME_ZONE });
  const findDocuments = createSearchDocuments(readsUntil, () => localDay(clock.now(), REGION_TIME_ZONE));
  const getAgendaItem = createGetAgendaItem({ reads, clock });
  const tools: Pick<ToolFunctions, 'search_agenda' | 'get_agenda_item'> = {
    search_agenda: (input, { principal: { accountId }, signal }) =>
      runForAccount(accountId, leaveOnAbort(signal), () => searchAgenda(input, signal)),
    get_agenda_item: async ({ itemId }) => {
      const item = await getAgendaItem(itemId);
      if (item !== null) return { data: { item, truncated: false } };
      throw new ToolRefusal(
        'empty_result_not_chargeable',
        'there is no agenda item with this itemId; nothing was charged',
      );
    },
  };
  const runForVisitor = <Result>(client: string, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> =>
    resolveWithin(clock, deadlineMs, (signal) =>
      runForClient(client, leaveOnAbort(signal), () => runForPages(PAGES, leaveOnAbort(signal), () => run(signal))),
    );
  const searchDocuments = (input: SearchAgendaInput, client: string): Promise<readonly FoundDocument[]> =>
    runForVisitor(client, (signal) => findDocuments(input, signal));
  /** Rejects a cursor of another search with 400, and a search above the limit with 429. */
  const searchPages = async (input: SearchAgendaInput, client: string): Promise<SearchAgendaData> => {
    try {
      return (await runForVisitor(client, (signal) => searchAgenda(input, signal))).data;
    } catch (error) {
      throw error instanceof InvalidSearchCursor ? new Rejection('invalid_parameter', error.message) : error;
    }
  };
  return { tools, getAgendaItem, searchPages, searchDocuments } satisfies Module &
    Record<'getAgendaItem' | 'searchPages' | 'searchDocuments', unknown>;
}
