import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Codings } from './accept-encoding.ts';
import { namesTag } from './if-none-match.ts';
import type { Form, Representation } from './representation.ts';

/** Sends a public success, or that the client has it already. Resolves at once where the form has been made before. */
export const sendRepresentation = (
  representation: Representation,
  codings: Codings,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | void => {
  const form = representation.form(codings);
  if (form instanceof Promise) return form.then((made) => send(made, request, reply));
  send(form, request, reply);
};

/** A hot answer is sent past Fastify's reply, whose own preparations would cost it a tenth. */
const send = (form: Form, request: FastifyRequest, reply: FastifyReply): void => {
  const condition = request.raw.headers['if-none-match'];
  const standing = condition !== undefined && namesTag(condition, form.etag);
  reply.hijack();
  reply.raw.writeHead(standing ? 304 : 200, [...(standing ? form.toldAgain : form.told), 'x-request-id', request.id]);
  reply.raw.end(standing ? undefined : form.body);
};
