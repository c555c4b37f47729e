import type { z } from 'zod';
import { Rejection } from '../../domain/rejections.ts';
import type { Handled } from '../handle.ts';

/** What no event may carry, such as a finding that is too long: once stored it could not be read any more. Says the first fault. */
export const unusable = ({ issues }: z.ZodError): Handled => {
  const { path, message } = issues[0]!;
  return { kind: 'rejected', rejection: new Rejection('invalid_input', `${path.at(-1)?.toString() ?? 'move'}: ${message}`) };
};
