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

const send = (form: Form, request: FastifyRequest, reply: FastifyReply): void => {
  const condition = request.raw.headers['if-none-match'];
  if (condition !== undefined && namesTag(condition, form.etag)) {
    const { 'content-type': _type, 'content-encoding': _coding, ...headers } = form.headers;
    void reply.code(304).headers(headers).send();
  } else {
    void reply.headers(form.headers).send(form.body);
  }
};
