import { Refusal } from '../../domain/rejections.ts';
import type { ToolErrorCode } from './tool-errors.ts';

/** An expected refusal of a tool, thrown and answered as an `isError` result. A `Rejection` whose code the tool has will do as well. */
export class ToolRefusal extends Refusal<ToolErrorCode> {
  override readonly name = 'ToolRefusal';
}
