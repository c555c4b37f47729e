import { ToolRefusal } from '../../contract/tools/tool-errors.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { createSearchLimit } from '../edge/admission/search-limit.ts';
import type { ToolFunctions } from '../edge/mcp/run-tool.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

/** Search of agenda items, on its own connections, and the item of a result. */
export function search({ settings, reads, clock, database }: Platform) {
  const searchLimit = createSearchLimit({ concurrency: settings.CIVIC_SEARCH_CONCURRENCY, clock });
  const searchAgenda = createSearchAgenda({ reads: (signal) => reads.through((statement) => database.search(statement, signal)), clock });
  const getAgendaItem = createGetAgendaItem({ reads, clock });
  const tools: Pick<ToolFunctions, 'search_agenda' | 'get_agenda_item'> = {
    search_agenda: (input, { principal: { accountId }, signal }) => searchLimit(accountId, signal, () => searchAgenda(input, signal)),
    get_agenda_item: async ({ itemId }) => {
      const item = await getAgendaItem(itemId);
      if (item !== null) return { data: { item, truncated: false } };
      throw new ToolRefusal('empty_result_not_chargeable', 'there is no agenda item with this itemId; nothing was charged');
    },
  };
  return { tools } satisfies Module;
}
