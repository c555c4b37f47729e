import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReportClients } from '../admission/report-clients.ts';
import type { Operation } from '../contract/operation.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { clientAddress } from './public/client-address.ts';

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<string | Buffer>;

/** Serves a report operation to a client address that has room left for it. */
export const afterReportClient =
  (
    { reportClients, clock }: { readonly reportClients: ReportClients; readonly clock: Clock },
    { operationId }: Operation,
    serve: Serve,
  ): Serve =>
  async (request, reply) => {
    const { headers, socket } = request.raw;
    await reportClients.admit(
      operationId,
      clientAddress(headers['x-forwarded-for'] as string | undefined, socket.remoteAddress),
      clock.now(),
    );
    return serve(request, reply);
  };
