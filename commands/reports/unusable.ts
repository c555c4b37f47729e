import type { z } from 'zod';
import { Rejection } from '../../domain/rejections.ts';
import type { Handled } from '../handle.ts';

/** Turns the first validation issue into an `invalid_input` rejection. Invalid data must never be stored: the event could not be read again. */
export function unusable({ issues }: z.ZodError): Handled {
  const { path, message } = issues[0]!;
  return { kind: 'rejected', rejection: new Rejection('invalid_input', `${path.at(-1)?.toString() ?? 'move'}: ${message}`) };
}
