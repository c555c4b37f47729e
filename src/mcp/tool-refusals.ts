import { PaymentRefused, refusalAnswer } from '../admission/payments/payment-answer.ts';
import { type ToolErrorCode, TOOL_ERRORS } from '../contract/tools/tool-errors.ts';
import { ToolRefusal } from '../contract/tools/tool-refusal.ts';
import type { Tool } from '../contract/tools/tool.ts';
import { DeadlineExceeded } from '../domain/ports/database.ts';
import { Rejection } from '../domain/rejections.ts';
import { InvalidSearchCursor } from '../domain/search-cursor.ts';

export const refusalOf = (code: ToolErrorCode): ToolRefusal => new ToolRefusal(code, TOOL_ERRORS[code]);

const isCodeOf = (tool: Tool, code: string): code is ToolErrorCode => (tool.errors as readonly string[]).includes(code);

/** Arguments are parsed before the tool runs, so that `invalid_parameter` from behind it can only be about the cursor. */
const ofRejection = (tool: Tool, { code, message, details, retryAfterSeconds }: Rejection): ToolRefusal => {
  const said = code === 'invalid_parameter' && isCodeOf(tool, 'invalid_cursor') ? 'invalid_cursor' : code;
  if (!isCodeOf(tool, said)) return refusalOf('service_unavailable');
  return new ToolRefusal(said, message, { details, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
};

/** The refusal that answers whatever a tool threw; of a defect nothing is told. */
export const toolRefusalOf = (tool: Tool, error: unknown): ToolRefusal => {
  if (error instanceof ToolRefusal) return error;
  if (error instanceof Rejection) return ofRejection(tool, error);
  if (error instanceof InvalidSearchCursor) return new ToolRefusal(error.code, error.message);
  if (error instanceof PaymentRefused) {
    const { code, message, ...extra } = refusalAnswer(error, null);
    return new ToolRefusal(code, message, extra);
  }
  return refusalOf(error instanceof DeadlineExceeded ? 'timeout' : 'service_unavailable');
};
