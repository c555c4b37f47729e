import type { SearchLimit } from '../admission/search-limit.ts';
import type { AgendaFunctions } from '../contract/tools/agenda-functions.ts';
import { ToolRefusal } from '../contract/tools/tool-refusal.ts';
import type { ToolFunctions } from './tool-functions.ts';

/** The two tools that read agenda items (specification, search_agenda and get_agenda_item). */
export const createAgendaTools = (
  agenda: AgendaFunctions,
  searchLimit: SearchLimit,
): Pick<ToolFunctions, 'search_agenda' | 'get_agenda_item'> => ({
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
