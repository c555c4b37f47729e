import { searchPlace } from '../../queries/search-agenda.ts';
import type { SearchAgendaInput } from '../contract/tools/agenda-functions.ts';
import { ToolRefusal } from '../contract/tools/tool-refusal.ts';
import type { Tool } from '../contract/tools/tool.ts';

const MOST_ISSUES = 10;
const LONGEST = 200;

/**
 * The arguments of a call with their defaults, the cursor of a search checked too: what is wrong with them is told before anything is read
 * or paid. Throws `invalid_parameter` (`invalid_input` where the tool has it) with what is wrong where, or `InvalidSearchCursor`. The
 * refused values themselves are not repeated.
 */
export const parseArguments = (tool: Tool, given: unknown): object => {
  const parsed = tool.input.safeParse(given ?? {});
  if (parsed.success) {
    if (tool.name === 'search_agenda') searchPlace(parsed.data as SearchAgendaInput);
    return parsed.data as object;
  }
  const issues = parsed.error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.').slice(0, LONGEST), message: message.slice(0, LONGEST) }));
  const [{ path, message } = { path: '', message: 'invalid arguments' }] = issues;
  const code = (tool.errors as readonly string[]).includes('invalid_input') ? 'invalid_input' : 'invalid_parameter';
  throw new ToolRefusal(code, path === '' ? message : `${path}: ${message}`, { details: { issues } });
};
