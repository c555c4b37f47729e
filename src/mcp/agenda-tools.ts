import type { AgendaFunctions } from '../contract/tools/agenda-functions.ts';
import { ToolRefusal } from '../contract/tools/tool-refusal.ts';
import type { ToolFunctions } from './tool-functions.ts';

/** The two tools that read agenda items (specification, search_agenda and get_agenda_item). */
export const createAgendaTools = (agenda: AgendaFunctions): Pick<ToolFunctions, 'search_agenda' | 'get_agenda_item'> => ({
  search_agenda: async (input) => {
    const { data, cursorAfter } = await agenda.searchAgenda(input);
    return { data, cursorAfter: (rows) => cursorAfter[rows - 1]! };
  },
  get_agenda_item: async ({ itemId }) => {
    const item = await agenda.getAgendaItem(itemId);
    if (item !== null) return { data: { item, truncated: false } };
    throw new ToolRefusal('empty_result_not_chargeable', 'there is no agenda item with this itemId; nothing was charged');
  },
});
