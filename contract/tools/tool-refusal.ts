import type { ToolErrorCode } from './tool-errors.ts';

/** An expected refusal of a tool, thrown and answered as an `isError` result. A `Rejection` whose code the tool has will do as well. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  readonly code: ToolErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly details: unknown;

  constructor(code: ToolErrorCode, message: string, extra: { readonly details?: unknown; readonly retryAfterSeconds?: number } = {}) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = extra.retryAfterSeconds;
    this.details = extra.details;
  }
}
