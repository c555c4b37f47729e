import type { z } from 'zod';
import type { ToolErrorCode } from './tool-errors.ts';
import type { ToolName } from './tool-names.ts';

/** What the tool protocol says about one tool: its arguments, and the `data` of its result. */
export interface Tool {
  readonly name: ToolName;
  readonly title: string;
  /** For the model that chooses it. */
  readonly description: string;
  /** Whether a call leaves something behind; what clients ask their user about before they call. */
  readonly effect: 'reads' | 'records';
  readonly input: z.ZodType;
  readonly data: z.ZodType;
  /** Codes of its `isError` results. */
  readonly errors: readonly ToolErrorCode[];
}

/** Keeps the exact schema types of a definition. */
export const tool = <const Definition extends Tool>(definition: Definition): Definition => definition;

/** UTF-8 bytes of a tool's serialized data. */
export const MAX_TOOL_BYTES = 16_384;

/** Milliseconds that a tool may take. */
export const TOOL_DEADLINE_MS = 10_000;
