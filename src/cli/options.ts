import type { z } from 'zod';
import { withoutSecrets } from '../domain/key-secret.ts';
import { CommandFailed } from './context.ts';

/** How long a command is decided again after conflicts, in milliseconds. */
export const DEADLINE_MS = 30_000;

/** An option's value in its type, or a failure that names option, value and what is allowed; a key in the wrong place is not repeated. */
export const parseOption = <Value>(name: string, schema: z.ZodType<Value>, text: string, allowed: string): Value => {
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw new CommandFailed(`${name} is ${JSON.stringify(withoutSecrets(text))}; allowed is ${allowed}`);
  return parsed.data;
};
