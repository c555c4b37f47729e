import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { type Form, namesTag, type Representation } from '../answers/representation.ts';

/**
 * Returns the headers that let a page of this origin read an answer without credentials: a flat array of alternating
 * names and values.
 */
export type Sharing = (origin: string | undefined) => readonly string[];

export function shareWith(origins: readonly string[]): Sharing {
  const exposed = ['access-control-expose-headers', 'ETag, Retry-After, X-Request-Id'];
  const everyone = ['access-control-allow-origin', '*', ...exposed];
  if (origins.includes('*')) return () => everyone;
  const others = origins.length === 0 ? [] : ['vary', 'Origin'];
  return (origin) =>
    origin !== undefined && origins.includes(origin)
      ? ['access-control-allow-origin', origin, ...exposed, ...others]
      : others;
}

/** Sets these headers on answers that Fastify sends, such as refusals. */
export const shareRefusals =
  (sharing: Sharing): onSendHookHandler =>
  (request, reply, payload, done): void => {
    const headers = sharing(request.raw.headers.origin);
    for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]!);
    done(null, payload);
  };

/** Sends an answer without Fastify's reply, whose preparation takes a tenth of the time of a hot answer. */
export async function sendRepresentation(
  answer: Representation,
  { raw, id }: FastifyRequest,
  reply: FastifyReply,
  sharing: Sharing,
) {
  const form = await answer.form(raw.headers['accept-encoding']);
  reply.hijack();
  sendForm(form, raw, reply.raw, id, sharing);
}

/** Sends 304 if the client already has this form. */
export function sendForm(
  form: Form,
  { headers }: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  sharing: Sharing,
): void {
  const condition = headers['if-none-match'];
  const isNotModified = condition !== undefined && namesTag(condition, form.etag);
  const own = isNotModified ? form.headersOfNotModified : form.headers;
  response.writeHead(isNotModified ? 304 : 200, [...own, ...sharing(headers.origin), 'x-request-id', requestId]);
  response.end(isNotModified ? undefined : form.body, 'latin1');
}
