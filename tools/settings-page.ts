import { writeFileSync } from 'node:fs';
import { allowedBy } from '../src/app/setting-values.ts';
import { SETTING_SECTIONS, SETTINGS, type Setting } from '../src/app/setting-sections.ts';
import { fileVariable } from '../src/app/settings.ts';

/** A value in a cell of a table. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

function row([name, [schema, fallback, meaning]]: readonly [
  string,
  (typeof SETTING_SECTIONS)[string][string],
]): string {
  const defaultCell = typeof fallback === 'string' ? code(fallback) : `unset: ${fallback.unset}`;
  return `| ${code(name)} | ${meaning} | ${fallback === '' ? 'none' : defaultCell} | ${allowedBy(schema).replaceAll('|', '\\|')} |`;
}

const section = ([title, settings]: (typeof sections)[number]): string =>
  [
    `## ${title}`,
    '| setting | meaning | default | allowed values |',
    '|---|---|---|---|',
    ...Object.entries(settings).map(row),
    '',
  ].join('\n');

const sections = Object.entries(SETTING_SECTIONS);

const FILE_VARIABLES = Object.entries<Setting>(SETTINGS).flatMap(
  ([name, [schema]]) => fileVariable(name, schema) ?? [],
);

/** The text of `docs/operators/settings.md`, made from the schema of the settings; `npm run docs:settings` writes it. */
export function settingsPage(): string {
  return `# Settings

<!-- Generated from src/app/setting-sections.ts by \`npm run docs:settings\`. Do not edit. -->

The program reads its settings from the environment, or from a file \`.env\` in the working directory. An empty value counts as unset. A value that is not allowed stops the
start with one line that names the setting and the allowed values, and the value where it cannot hold a password. An unknown \`CIVIC_…\` name produces a warning. All
processes of one installation need equal values for what concerns the data: [deployment.md](deployment.md#how-many).

## Secrets in files
Each of these variables is the absolute path of a file that contains the value of the setting without \`_FILE\`, as Docker and Kubernetes mount secrets: ${FILE_VARIABLES.map(code).join(', ')}.
White space around the value is ignored. A start is refused if the file cannot be read or is empty, or if both variables are set; the message names the setting and the file, never the value.

${sections.map(section).join('\n')}
Node.js has its own settings: \`NODE_OPTIONS\` sets the memory of a process ([deployment.md](deployment.md#how-many)),
\`NODE_EXTRA_CA_CERTS\` adds a private certificate authority, and \`NODE_COMPILE_CACHE\` moves the cache of compiled code.

\`HTTP_PROXY\`, \`HTTPS_PROXY\` and \`NO_PROXY\` apply to every request by HTTP to another machine: to sources, to a service that is mirrored, and to a payment facilitator. Hosts in \`NO_PROXY\` and this machine are asked without a proxy. A
proxy with a password has it in its address, which no message shows. With Node.js 24.12 and 24.13, set \`NODE_USE_ENV_PROXY=1\` too.
`;
}

if (import.meta.main) writeFileSync(new URL('../docs/operators/settings.md', import.meta.url), settingsPage());
