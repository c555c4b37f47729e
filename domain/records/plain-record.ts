import { decodeText } from '../text/source-text.ts';

/** Fields that keep the line breaks of the source. */
const IN_LINES = new Set(['text', 'comment', 'actionText']);
/** Replaces a required text that consists of markup only. */
const NO_TEXT = '(no text)';

function plainField(text: string, name: string): string {
  if (name.toLowerCase().endsWith('url')) return text;
  const plain = decodeText(text);
  if (plain === text) return text;
  return (IN_LINES.has(name) ? plain : plain.replace(/\s+/g, ' ')).trim() || NO_TEXT;
}

function plainValue(value: unknown, name: string): unknown {
  if (typeof value === 'string') return plainField(value, name);
  if (Array.isArray(value)) return value.map((entry) => plainValue(entry, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plainValue(field, key)]));
}

/**
 * Returns a record with plain texts, for pages, tools and rules. The feed contains each record as it was sent: imports
 * and older connectors may contain RTF and entities.
 */
export const plainRecord = <Data>(data: Data): Data => plainValue(data, '') as Data;
