import type { RecordChange } from '../../../commands/records/record-writer.ts';
import { isResource, RESOURCES } from '../../domain/records/resources.ts';
import { type InputLine, MAX_LINE_BYTES } from './read-lines.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const KEYS = { upsert: ['op', 'resource', 'id', 'data'], remove: ['op', 'resource', 'id', 'reason'] } as const;

/** The change that a line states, or why it states none. The record's content is checked later, by its command. */
export const parseChange = (line: InputLine): RecordChange | string => {
  if (line.length > MAX_LINE_BYTES) return `the line is ${line.length} bytes long; at most ${MAX_LINE_BYTES} are read`;
  let text: string;
  try {
    text = utf8.decode(line.bytes);
  } catch {
    return 'the line is not valid UTF-8';
  }
  if (line.number === 1 && text.startsWith('\ufeff')) text = text.slice(1);
  let stated: unknown;
  try {
    stated = JSON.parse(text);
  } catch (error) {
    return `the line is not JSON: ${(error as Error).message.slice(0, 200)}`;
  }
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated)) return 'the line must be a JSON object';
  return toChange(stated as Record<string, unknown>);
};

const toChange = (stated: Record<string, unknown>): RecordChange | string => {
  const { op, resource, id, data, reason } = stated;
  if (op !== 'upsert' && op !== 'remove') return 'op must be "upsert" or "remove"';
  const unknown = Object.keys(stated).filter((key) => !(KEYS[op] as readonly string[]).includes(key));
  if (unknown.length > 0) return `unknown key ${JSON.stringify(unknown[0])}; allowed are ${KEYS[op].join(', ')}`;
  if (typeof resource !== 'string' || !isResource(resource)) return `resource must be one of ${RESOURCES.join(', ')}`;
  if (typeof id !== 'string') return 'id must be a uuid';
  if (op === 'upsert') return { op, resource, id, content: data };
  if (reason !== undefined && reason !== null && typeof reason !== 'string') return 'reason must be a text';
  return { op, resource, id, reason: reason ?? null };
};
