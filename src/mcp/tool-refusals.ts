import { type ToolErrorCode, TOOL_ERRORS } from '../contract/tools/tool-errors.ts';
import { ToolRefusal } from '../contract/tools/tool-refusal.ts';
import type { Tool } from '../contract/tools/tool.ts';
import { DeadlineExceeded } from '../domain/ports/database.ts';
import { Rejection } from '../domain/rejections.ts';

export const refusalOf = (code: ToolErrorCode, extra: ConstructorParameters<typeof ToolRefusal>[2] = {}): ToolRefusal =>
  new ToolRefusal(code, TOOL_ERRORS[code], extra);

const isCodeOf = (tool: Tool, code: string): code is ToolErrorCode => (tool.errors as readonly string[]).includes(code);

/**
 * The refusal that answers whatever a tool threw. Arguments are parsed before the tool runs, so that `invalid_parameter` from behind it can
 * only be about the cursor. Of a defect nothing is told.
 */
export const toolRefusalOf = (tool: Tool, error: unknown): ToolRefusal => {
  if (error instanceof ToolRefusal) return error;
  if (error instanceof DeadlineExceeded) return refusalOf('timeout');
  if (error instanceof Rejection) {
    const { message, details, retryAfterSeconds } = error;
    const code = error.code === 'invalid_parameter' && isCodeOf(tool, 'invalid_cursor') ? 'invalid_cursor' : error.code;
    if (isCodeOf(tool, code)) {
      return new ToolRefusal(code, message, { details, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
    }
  }
  return refusalOf('service_unavailable');
};

/** Whether somebody should look into what was thrown. */
export const isUnexpected = (error: unknown): boolean =>
  !(error instanceof ToolRefusal || error instanceof Rejection || error instanceof DeadlineExceeded);
