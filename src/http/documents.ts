import type { FastifyReply, FastifyRequest } from 'fastify';
import { Rejection } from '../domain/rejections.ts';
import type { Codings } from './public/accept-encoding.ts';
import { createRepresentation, type Representation } from './public/representation.ts';
import { sendRepresentation } from './public/send-form.ts';
import { parseQueryString } from './query-string.ts';

/** A page that the edge sends as it is, to everybody and without a limit (decisions, section 9). */
export interface DocumentRoute {
  readonly path: string;
  /** The operation that it answers; null for a page that is none's. */
  readonly operationId: string | null;
  readonly headers: Readonly<Record<string, string>> & { readonly 'content-type': string; readonly 'cache-control': string };
  /** What it throws is answered 500 `internal_error`. */
  body(): Promise<string | Buffer>;
}

/** Sends one document, made once; a failure is not kept, so that the next request tries again. Takes no query parameter. */
export const serveDocument = (find: () => DocumentRoute, codingsOf: (header: string | undefined) => Codings) => {
  let made: Representation | undefined;
  const make = async (): Promise<Representation> => {
    const document = find();
    return createRepresentation({ body: await document.body(), headers: document.headers, effort: 'lasting' });
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (Object.keys(parseQueryString(request.raw.url ?? '')).length > 0) {
      throw new Rejection('invalid_parameter', 'a document takes no query parameter');
    }
    made ??= await make();
    await sendRepresentation(made, codingsOf(request.raw.headers['accept-encoding']), request, reply);
  };
};
