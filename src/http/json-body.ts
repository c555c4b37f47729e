import type { IncomingMessage } from 'node:http';
import { Rejection } from '../domain/rejections.ts';

/** Reads a JSON request body of at most `maxBytes` bytes, whatever length the headers claim. Throws `Rejection` (400, 413). */
export const readJsonBody = async (request: IncomingMessage, maxBytes: number): Promise<unknown> => {
  requireJson(request);
  const bytes = await readBodyBytes(request, maxBytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new Rejection('invalid_parameter', 'the request body is not valid JSON in UTF-8');
  }
};

/** Refuses (`invalid_parameter`) whatever is not sent as JSON in UTF-8, without a coding around it. */
export const requireJson = ({ headers }: IncomingMessage): void => {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (mediaType !== 'application/json' || (charset !== undefined && !/^"?utf-?8"?$/.test(charset))) {
    throw new Rejection('invalid_parameter', 'the request body must be sent as Content-Type: application/json');
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new Rejection('invalid_parameter', 'the request body must be sent without a Content-Encoding');
  }
};

/**
 * Reads a request body of at most `maxBytes` bytes. By events: leaving an iteration early would destroy the connection before the refusal
 * is sent. What follows the limit is thrown away. Throws `Rejection` (400, 413).
 */
export const readBodyBytes = (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const tooLarge = new Rejection('request_too_large', `the request body is over ${maxBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    request.removeListener('data', onData);
    request.resume();
    reject(tooLarge);
  };
  const onCut = (): void => reject(new Rejection('invalid_parameter', 'the request body ended early'));
  request.on('data', onData);
  request.once('end', () => resolve(Buffer.concat(chunks)));
  request.once('close', onCut);
  request.once('error', onCut);
  return promise;
};
