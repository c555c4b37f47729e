import { isResource, RESOURCES } from '../../domain/records/resources.ts';
import type { RecordChange } from './record-writer.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const KEYS = { upsert: ['op', 'resource', 'id', 'data'], remove: ['op', 'resource', 'id', 'reason'] } as const;

/** Parses a change from JSON text, or returns the reason for a refusal; `what` names the text in it. The content is checked later. */
export function parseChange(bytes: Uint8Array, what: string): RecordChange | string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return `the ${what} is not valid UTF-8`;
  }
  let stated: unknown;
  try {
    stated = JSON.parse(text);
  } catch (error) {
    return `the ${what} is not JSON: ${(error as Error).message.slice(0, 200)}`;
  }
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated)) return `the ${what} must be a JSON object`;
  return toChange(stated as Record<string, unknown>);
}

function toChange(stated: Record<string, unknown>): RecordChange | string {
  const { op, resource, id, data, reason } = stated;
  if (op !== 'upsert' && op !== 'remove') return 'op must be "upsert" or "remove"';
  const unknown = Object.keys(stated).filter((key) => !(KEYS[op] as readonly string[]).includes(key));
  if (unknown.length > 0) return `unknown key ${JSON.stringify(unknown[0])}; allowed are ${KEYS[op].join(', ')}`;
  if (typeof resource !== 'string' || !isResource(resource)) return `resource must be one of ${RESOURCES.join(', ')}`;
  if (typeof id !== 'string') return 'id must be a uuid';
  if (op === 'upsert') return { op, resource, id, content: data };
  if (reason !== undefined && reason !== null && typeof reason !== 'string') return 'reason must be a text';
  return { op, resource, id, reason: reason ?? null };
}
