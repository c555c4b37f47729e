import { writeFileSync } from 'node:fs';
import { allowedBy } from '../src/setting-values.ts';
import { SETTING_SECTIONS } from '../src/settings.ts';

/** A value in a cell of a table. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

function row([name, [schema, without, meaning]]: readonly [string, (typeof SETTING_SECTIONS)[string][string]]): string {
  const fallback = typeof without === 'string' ? code(without) : `unset: ${without.unset}`;
  return `| ${code(name)} | ${meaning} | ${without === '' ? 'none' : fallback} | ${allowedBy(schema).replaceAll('|', '\\|')} |`;
}

const section = ([title, settings]: (typeof sections)[number]): string =>
  [`## ${title}`, '| setting | meaning | default | allowed values |', '|---|---|---|---|', ...Object.entries(settings).map(row), ''].join(
    '\n',
  );

const sections = Object.entries(SETTING_SECTIONS);

/** The text of `docs/settings.md`, made from the schema of the settings; `npm run docs:settings` writes it. */
export function settingsPage(): string {
  return `# Settings

<!-- Generated from src/settings.ts by \`npm run docs:settings\`. Do not edit. -->

The program reads its settings from the environment, or from a file \`.env\` in the working directory. An empty value counts as unset. A value that is not allowed stops the
start with one line that names the setting and the allowed values, and the value where it cannot hold a password. An unknown \`CIVIC_…\` name produces a warning. All
processes of one installation need equal values for what concerns the data: [deployment.md](deployment.md#how-many).

${sections.map(section).join('\n')}
Three variables of Node.js and the C library also apply: \`NODE_OPTIONS\` and \`MALLOC_ARENA_MAX\` for the memory of a process
([deployment.md](deployment.md#how-many)), and \`NODE_EXTRA_CA_CERTS\` for a private certificate authority.
`;
}

if (import.meta.main) writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsPage());
