import { ToolRefusal } from '../../contract/tools/tool-errors.ts';
import { InvalidSearchCursor } from '../../domain/cursor.ts';
import { Rejection } from '../../domain/rejections.ts';
import { answeredWithin } from '../../domain/retry.ts';
import type { SearchAgendaData, SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { leavingBy, limitAtOnce } from '../edge/admission/at-once.ts';
import type { ToolFunctions } from '../edge/mcp/run-tool.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

/** Five whole batches. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 1_000;
/** Searches of the pages wait for each other as those of one account do: those of accounts find a free connection. */
const PAGES = 'pages';

/** Search of agenda items, on its own connections, and the item of a result. */
export function search({ settings, reads, clock, database, deadlineMs }: Platform) {
  const bounds = { concurrency: settings.CIVIC_SEARCH_CONCURRENCY, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS, clock };
  const ofAccount = limitAtOnce({ ...bounds, what: 'searches of this account' });
  const ofAddress = limitAtOnce({ ...bounds, what: 'searches of this address' });
  const ofPages = limitAtOnce({ ...bounds, what: 'searches of all visitors' });
  const searchAgenda = createSearchAgenda({ reads: (signal) => reads.through((statement) => database.search(statement, signal)), clock });
  const getAgendaItem = createGetAgendaItem({ reads, clock });
  const tools: Pick<ToolFunctions, 'search_agenda' | 'get_agenda_item'> = {
    search_agenda: (input, { principal: { accountId }, signal }) =>
      ofAccount(accountId, leavingBy(signal), () => searchAgenda(input, signal)),
    get_agenda_item: async ({ itemId }) => {
      const item = await getAgendaItem(itemId);
      if (item !== null) return { data: { item, truncated: false } };
      throw new ToolRefusal('empty_result_not_chargeable', 'there is no agenda item with this itemId; nothing was charged');
    },
  };
  /** Refuses a cursor of another search with 400 and a search beyond the limit with 429. */
  const searchPages = async (input: SearchAgendaInput, address: string): Promise<SearchAgendaData> => {
    try {
      const search = (signal: AbortSignal) =>
        // An address waits for its own searches first: no more of them than may run at once stand before those of others.
        ofAddress(address, leavingBy(signal), () => ofPages(PAGES, leavingBy(signal), () => searchAgenda(input, signal)));
      return (await answeredWithin(clock, deadlineMs, search)).data;
    } catch (error) {
      throw error instanceof InvalidSearchCursor ? new Rejection('invalid_parameter', error.message) : error;
    }
  };
  return { tools, getAgendaItem, searchPages } satisfies Module & Record<'getAgendaItem' | 'searchPages', unknown>;
}
