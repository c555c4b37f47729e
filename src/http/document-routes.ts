import type { FastifyInstance } from 'fastify';
import { noQuery } from '../contract/fields.ts';
import { READING } from './public-routes.ts';
import { createRepresentation, type Representation } from './representation.ts';

/** A page that the edge sends as it is, to every client and without a limit (decisions, section 9). */
export interface DocumentRoute {
  readonly path: string;
  /** The operation that it answers; null for a page that is none's. */
  readonly operationId: string | null;
  readonly headers: Readonly<Record<string, string>> & { readonly 'content-type': string; readonly 'cache-control': string };
  /** What it throws is answered 500 `internal_error`. */
  body(): Promise<string | Buffer>;
}

/** The routes of the documents, each made once when it is first asked for. `documents` has the same paths whatever the base URL is. */
export function addDocumentRoutes(app: FastifyInstance, documents: () => readonly DocumentRoute[]): void {
  for (const [index, { path, operationId }] of documents().entries()) {
    let made: Representation | undefined;
    app.route({
      method: READING,
      url: path,
      config: operationId === null ? {} : { operationId },
      schema: { querystring: noQuery },
      handler: async (request, reply) => {
        if (made === undefined) {
          const document = documents()[index]!;
          made = createRepresentation({ body: await document.body(), headers: document.headers, effort: 'lasting' });
        }
        await made.send(request, reply);
      },
    });
  }
}
