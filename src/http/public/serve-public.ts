import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PublicLimits } from '../../admission/public-limits.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { Codings } from './accept-encoding.ts';
import type { AnswerCache } from './answer-cache.ts';
import { clientAddress } from './client-address.ts';
import type { PublicAnswer } from './public-answers.ts';
import { type Question, questionReader } from './questions.ts';
import { createRepresentation, type Representation } from './representation.ts';
import { sendRepresentation } from './send-form.ts';
import type { SoftFailures } from './soft-failures.ts';

export interface PublicServing {
  readonly limits: PublicLimits;
  readonly clock: Clock;
  readonly cache: AnswerCache;
  readonly codingsOf: (header: string | undefined) => Codings;
  readonly softFailures: SoftFailures;
  /** Told of each failure of the backend. */
  readonly onFailure: (error: unknown) => void;
}

/** One public request: is there room for it, what is asked, and the answer, the standing one without a round trip. */
export const servePublic = (parts: PublicServing, operation: Operation, answer: PublicAnswer) => {
  const { limits, clock, cache, codingsOf } = parts;
  const { operationId } = operation;
  const read = questionReader(operation);
  const make = async (question: Question): Promise<Representation> =>
    represent(operation, await answer.ask(question).catch((error: unknown) => fail(parts, operation, error)));

  const later = async (question: Question, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const representation = await cache
      .fetch(question.key, () => make(question))
      .catch((error: unknown) => {
        if (!(error instanceof BackendFailure)) throw error;
        if (answer.soft === undefined) throw new Error(`${operationId} could not be answered`, { cause: error.cause });
        parts.softFailures.answered(operationId, request.id, error.cause);
        return represent(operation, answer.soft(question));
      });
    await sendRepresentation(representation, codingsOf(request.raw.headers['accept-encoding']), request, reply);
  };

  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | void => {
    const { headers, socket } = request.raw;
    const wait = limits.take(
      operationId,
      clientAddress(headers['x-forwarded-for'] as string | undefined, socket.remoteAddress),
      clock.now(),
    );
    if (wait !== null) throw new Rejection('rate_limited', 'too many requests from this address; wait', { retryAfterSeconds: wait });
    const question = read(request);
    const standing = cache.standing(question.key);
    if (standing === undefined) return later(question, request, reply);
    return sendRepresentation(standing, codingsOf(headers['accept-encoding']), request, reply);
  };
};

/** What the backend threw that is no refusal of this operation. */
class BackendFailure extends Error {
  override readonly name = 'BackendFailure';
}

const fail = (parts: PublicServing, operation: Operation, error: unknown): never => {
  if (error instanceof Rejection && operation.refusals.includes(error.code)) throw error;
  parts.onFailure(error);
  throw new BackendFailure('the backend failed', { cause: error });
};

const represent = (operation: Operation, json: string): Representation =>
  createRepresentation({
    body: json,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': operation.cacheControl! },
    effort: 'passing',
  });
