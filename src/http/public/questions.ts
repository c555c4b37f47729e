import type { FastifyRequest } from 'fastify';
import type { Operation } from '../../contract/operation.ts';
import { parseInput } from '../parse-input.ts';
import { parseQueryString } from '../query-string.ts';

/** What a public request asks, parsed; requests of one key ask the same, whatever names and order they use. */
export interface Question {
  readonly key: string;
  readonly params: unknown;
  readonly query: unknown;
}

const MOST_REMEMBERED = 1_000;
const LONGEST_REMEMBERED = 300;

/**
 * Reads questions, and remembers the last well-formed request targets: what one means never changes, so that a hot question is parsed
 * once. Throws `invalid_parameter` like any parsing.
 */
export const questionReader = (operation: Operation): ((request: FastifyRequest) => Question) => {
  const known = new Map<string, Question>();
  return (request) => {
    const target = request.raw.url ?? '';
    const before = known.get(target);
    if (before !== undefined) return before;
    const params = parseInput(operation.params, request.params);
    const query = parseInput(operation.query, parseQueryString(target));
    const question = { key: JSON.stringify([operation.operationId, params, query]), params, query };
    if (target.length <= LONGEST_REMEMBERED) {
      if (known.size >= MOST_REMEMBERED) known.delete(known.keys().next().value!);
      known.set(target, question);
    }
    return question;
  };
};
