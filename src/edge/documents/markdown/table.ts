const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

/** A Markdown table; empty without rows. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : [heads, heads.map(() => '---'), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** Blocks with an empty line between them; empty ones are left out. */
export const blocks = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
export const json = (value: unknown): string => fence('json', JSON.stringify(value, null, 2));
