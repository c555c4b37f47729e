import type { z } from 'zod';
import { Rejection } from '../domain/rejections.ts';

const MOST_ISSUES = 10;

/** The parsed value, or `invalid_parameter` with what is wrong where. The refused values themselves are not repeated. */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.'), message: message.slice(0, 200) }));
  const [first] = issues;
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  throw new Rejection('invalid_parameter', `${where}${first?.message ?? 'invalid input'}`, { details: { issues } });
};
