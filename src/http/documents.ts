import type { FastifyReply, FastifyRequest } from 'fastify';
import { Rejection } from '../domain/rejections.ts';
import type { Codings } from './public/accept-encoding.ts';
import { createRepresentation, type Representation } from './public/representation.ts';
import { sendRepresentation } from './public/send-form.ts';
import { parseQueryString } from './query-string.ts';

/** A page that the edge sends as it is. */
export interface DocumentRoute {
  /** Without parameters; one file, one route. */
  readonly path: string;
  readonly contentType: string;
  readonly cacheControl: string;
  /** Beside the ones that every success has, by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Made when it is first asked for; what it throws is answered 500. */
  readonly body: () => string | Buffer | Promise<string | Buffer>;
}

/** Sends one document, made once; a failure is not kept, so that the next request tries again. Takes no query parameter. */
export const serveDocument = (find: () => DocumentRoute, codingsOf: (header: string | undefined) => Codings) => {
  let made: Representation | undefined;
  const make = async (): Promise<Representation> => {
    const { body, contentType, cacheControl } = find();
    return createRepresentation({ body: Buffer.from(await body()), contentType, cacheControl, effort: 'lasting' });
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (Object.keys(parseQueryString(request.raw.url ?? '')).length > 0) {
      throw new Rejection('invalid_parameter', 'a document takes no query parameter');
    }
    made ??= await make();
    const { headers } = find();
    if (headers !== undefined) reply.headers(headers);
    await sendRepresentation(made, codingsOf(request.raw.headers['accept-encoding']), request, reply);
  };
};
