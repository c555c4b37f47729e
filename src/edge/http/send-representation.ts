import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { type Form, namesTag, type Representation } from '../answers/representation.ts';

/** Headers, names and values by turns, that let a page of this origin read an answer, without credentials. */
export type Sharing = (origin: string | undefined) => readonly string[];

export function sharedWith(origins: readonly string[]): Sharing {
  const exposed = ['access-control-expose-headers', 'ETag, Retry-After, X-Request-Id'];
  const everyone = ['access-control-allow-origin', '*', ...exposed];
  if (origins.includes('*')) return () => everyone;
  const others = origins.length === 0 ? [] : ['vary', 'Origin'];
  return (origin) =>
    origin !== undefined && origins.includes(origin) ? ['access-control-allow-origin', origin, ...exposed, ...others] : others;
}

/** The same for answers of Fastify's reply. */
export const shareRefusals =
  (sharing: Sharing): onSendHookHandler =>
  (request, reply, payload, done): void => {
    const headers = sharing(request.raw.headers.origin);
    for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]!);
    done(null, payload);
  };

/** Without Fastify's reply, whose preparation takes a tenth of the time of a hot answer. */
export async function sendRepresentation(answer: Representation, { raw, id }: FastifyRequest, reply: FastifyReply, sharing: Sharing) {
  const form = await answer.form(raw.headers['accept-encoding']);
  reply.hijack();
  sendForm(form, raw, reply.raw, id, sharing);
}

/** 304 where the client has this form already. */
export function sendForm(form: Form, { headers }: IncomingMessage, response: ServerResponse, requestId: string, sharing: Sharing): void {
  const condition = headers['if-none-match'];
  const isNotModified = condition !== undefined && namesTag(condition, form.etag);
  const own = isNotModified ? form.headersOfNotModified : form.headers;
  response.writeHead(isNotModified ? 304 : 200, [...own, ...sharing(headers.origin), 'x-request-id', requestId]);
  response.end(isNotModified ? undefined : form.body, 'latin1');
}
