import type { z } from 'zod';
import type { getAgendaItem } from './get-agenda-item.ts';
import type { searchAgenda } from './search-agenda.ts';

export type SearchAgendaInput = z.output<typeof searchAgenda.input>;
export type SearchAgendaData = z.output<typeof searchAgenda.data>;
export type AgendaItem = z.output<typeof getAgendaItem.data>['item'];

/** The agenda behind the tool endpoint. Inputs are parsed; texts are complete, and the endpoint cuts them. */
export interface AgendaFunctions {
  /** Throws `InvalidSearchCursor` (`invalid_cursor`) for a cursor of another search. Ends soon after the signal aborts. */
  readonly searchAgenda: (input: SearchAgendaInput, signal: AbortSignal) => Promise<AgendaSearchPage>;
  /** Null where there is no such item, or not yet all that it needs to be shown: its meeting, its body and their jurisdiction. */
  readonly getAgendaItem: (itemId: string) => Promise<AgendaItem | null>;
}

export interface AgendaSearchPage {
  /** `truncated` is false: nothing is trimmed yet. */
  readonly data: SearchAgendaData;
  /** The cursor that continues after each of the results: an endpoint that drops the last rows answers with that of the last it keeps. */
  readonly cursorAfter: readonly string[];
}
