import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import type { AgendaSearchPage, SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import { ToolRefusal } from '../../contract/tools/tool-errors.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { createSearchLimit, type SearchLimit } from '../edge/admission/search-limit.ts';
import type { ToolFunctions } from '../edge/mcp/run-tool.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

/** The agenda behind the tool endpoint. Inputs are parsed; texts are complete, and the endpoint cuts them. */
interface AgendaFunctions {
  /** Throws `InvalidSearchCursor` (`invalid_cursor`) for a cursor of another search. Ends soon after the signal aborts. */
  readonly searchAgenda: (input: SearchAgendaInput, signal: AbortSignal) => Promise<AgendaSearchPage>;
  /** Null where there is no such item, or not yet all that it needs to be shown: its meeting, its body and their jurisdiction. */
  readonly getAgendaItem: (itemId: string) => Promise<AgendaItem | null>;
}

/** The two tools that read agenda items. */
const agendaTools = (agenda: AgendaFunctions, searchLimit: SearchLimit): Pick<ToolFunctions, 'search_agenda' | 'get_agenda_item'> => ({
  search_agenda: async (input, { principal: { accountId }, signal }) => {
    const { data, cursorAfter } = await searchLimit(accountId, signal, () => agenda.searchAgenda(input, signal));
    return { data, cursorAfter: (rows) => cursorAfter[rows - 1]! };
  },
  get_agenda_item: async ({ itemId }) => {
    const item = await agenda.getAgendaItem(itemId);
    if (item !== null) return { data: { item, truncated: false } };
    throw new ToolRefusal('empty_result_not_chargeable', 'there is no agenda item with this itemId; nothing was charged');
  },
});

/** Search of agenda items, on its own connections, and the item of a result. */
export function search({ settings, reads, clock, database }: Platform) {
  const agendaFunctions: AgendaFunctions = {
    searchAgenda: createSearchAgenda({
      reads: (signal) => reads.through((statement) => database.search(statement, signal)),
      clock,
    }),
    getAgendaItem: createGetAgendaItem({ reads, clock }),
  };
  return {
    tools: agendaTools(agendaFunctions, createSearchLimit({ concurrency: settings.CIVIC_SEARCH_CONCURRENCY, clock })),
    agendaFunctions,
  } satisfies Module & Record<'agendaFunctions', unknown>;
}
