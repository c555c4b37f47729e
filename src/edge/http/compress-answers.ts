import type { FastifyInstance } from 'fastify';
import { compressedOnce } from '../answers/representation.ts';

/**
 * Compresses the answers of this scope in a coding that the client accepts (RFC 9110, section 12.5.3), except streams.
 */
export function compressAnswers(scope: FastifyInstance): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    const accepted = request.raw.headers['accept-encoding'];
    if (accepted === undefined || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    const compressed = await compressedOnce(payload, accepted);
    if (compressed === null) return payload;
    reply.header('content-encoding', compressed.coding);
    return compressed.bytes;
  });
}
