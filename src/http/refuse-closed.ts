import type { FastifyRequest } from 'fastify';
import type { ClosedOperation } from '../contract/operation.ts';
import { Rejection } from '../domain/rejections.ts';

/** Refuses whatever is sent to a closed route: nothing of it is read, no credential looked at and nothing counted. */
export const refuseClosed =
  ({ refusals }: ClosedOperation) =>
  (_request: FastifyRequest): never => {
    throw new Rejection(refusals[0]!, 'this route is closed; the tool endpoint is /api/v1/mcp');
  };
