import { z } from 'zod';
import { pascal } from '../fields.ts';
import type { ToolErrorCode } from './tool-errors.ts';
import type { ToolName } from './tool-names.ts';
import type { CursorAfter, TruncationRules } from './truncation.ts';

/** One tool: its arguments, the `data` of its result, its access, and what is cut from data over `MAX_TOOL_BYTES`. */
export interface Tool<
  Name extends ToolName = ToolName,
  Input extends z.ZodType = z.ZodType,
  Data extends z.ZodType<object> = z.ZodType<object>,
> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  /** True if a call changes state. Clients ask their user before such a call. */
  readonly effect: 'reads' | 'records';
  /** `free`: every account. `paid`: a current paid period, or a payment for each call. `reports`: the access that the report routes need. */
  readonly access: 'free' | 'paid' | 'reports';
  readonly input: Input;
  readonly data: Data;
  readonly errors: readonly ToolErrorCode[];
  truncation(cursorAfter: CursorAfter): TruncationRules<z.output<Data>>;
}

/** Names the arguments for the documents, and keeps the exact schema types of a definition. */
export function tool<const Name extends ToolName, Input extends z.ZodType, Data extends z.ZodType<object>>(
  definition: Tool<Name, Input, Data>,
): Tool<Name, Input, Data> {
  return { ...definition, input: definition.input.meta({ id: `${pascal(definition.name)}Arguments` }) };
}

export const truncated = z.boolean().describe('True if data was left out because of the size limit.');
export const guidance = z.string().describe('How to read the answer.');
/** UTF-8 bytes of a tool's serialized data. */
export const MAX_TOOL_BYTES = 16_384;
export const TOOL_DEADLINE_MS = 10_000;
