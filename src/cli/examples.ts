import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { SourceName } from '../sources/sources.ts';

/** A command with its words, such as `accounts` and `open`. */
export interface NamedCommand {
  readonly words: readonly string[];
  readonly command: CommandUnknownOpts;
}

/** Returns every command below this one, including groups, in the order of the help. */
export const commandsOf = (command: CommandUnknownOpts, words: readonly string[] = []): readonly NamedCommand[] =>
  command.commands.flatMap((child) => {
    const own = [...words, child.name()];
    return [{ words: own, command: child }, ...commandsOf(child, own)];
  });

/** True for a command that does something; a group has neither options nor arguments. */
export const isRunnable = ({ command }: NamedCommand): boolean =>
  command.options.length + command.registeredArguments.length > 0;

const ID = '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11';
const OTHER_ID = '1d0a6c1e-5d0c-4a4f-9a7a-5a4e6c1b2d3f';
const COUNTY = "--jurisdiction example-county --name 'Example County' --time-zone America/Chicago";
/** Example clients by source. */
const CLIENTS: Readonly<Record<SourceName, string>> = {
  legistar: 'cityofdallas',
  civicweb: 'dallascounty',
  techshare: 'tarrant-fe6aa5cc-7448-4194-ac6e-08dc95f79ccc',
  opencities: '788ffb59-05d1-457d-b9dd-423d4b95a06e',
  civicclerk: 'tulsacook',
  civicplus: 'www.example.gov',
  'civicplus-archive': 'www.example.gov',
  swagit: 'examplecotx',
};
const ERASING = "--with '[removed]' --reason personal_data";

/** Arguments after the command's words. `*` stands for each source, and `CLIENT` for its client. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  serve: ['', '--role api'],
  sandbox: ['', '--control-port 9500'],
  'accounts open': ["--name 'A newsroom' --channel subscription --tier pro --paid-until 2027-01-01T00:00:00Z"],
  'accounts period': [`--account ${ID} --tier ultra --paid-until 2028-01-01T00:00:00Z`],
  'accounts channel': [`--account ${ID} --channel payg`],
  'accounts payment': [`--account ${ID} --at 2026-11-25T08:00:00Z`],
  'accounts suspend': [`--account ${ID}`],
  'accounts resume': [`--account ${ID}`],
  'accounts list': ['', '--json'],
  'keys issue': [`--account ${ID} --scope civic:read,civic:export --label 'nightly export'`],
  'keys label': [`--key ${ID} --label 'nightly export'`],
  'keys rotate': [`--key ${ID} --old-valid-for P7D`],
  'keys revoke': [`--key ${ID}`, `--key ${ID} --yes --json`],
  'keys list': [`--account ${ID}`],
  audit: [`--account ${ID}`],
  'records import': ['changes.ndjson', '- < changes.ndjson'],
  'records export': ['--resource meetings > meetings.ndjson', '--json'],
  'records history': [ID],
  'sources add legistar': ['--client seattle --jurisdiction seattle --name Seattle --time-zone America/Los_Angeles'],
  'sources add opencities': [`--client ${ID} --base-url https://www.example.org ${COUNTY}`],
  'sources add techshare': [`--client example-${ID} ${COUNTY}`],
  'sources add civicplus': [`--client www.example.gov --category 'Commissioners Court' ${COUNTY}`],
  'sources add civicplus-archive': [`--client www.example.gov --amid 53,54 ${COUNTY}`],
  'sources add swagit': [`--client examplecotx --view 128 ${COUNTY}`],
  'sources add *': [`--client example ${COUNTY}`],
  'sources add registry': ['', '--county ellis --listed', '--place dallas-county'],
  'sources probe registry': ['', '--county ellis --json > rows.json'],
  'sources list': ['', '--known --json'],
  'sources status': ['', '--json'],
  'sources parse': ['agenda.pdf', 'agenda.docx --json'],
  'sources try *': ['--client CLIENT --json'],
  'sources remove *': ['--client CLIENT', '--client CLIENT --records --yes'],
  'sources sync *': ['--client CLIENT --since 2026-01-01'],
  'payments list': ['--state RECONCILE'],
  'payments show': [ID],
  'payments reconcile': [`${ID} --settled 0x${'5a'.repeat(32)}`, `${ID} --failed 'the authorization has expired'`],
  'payments wallet': [`0x${'a1'.repeat(20)} --bar`],
  'projections list': ['', 'agenda'],
  'projections rebuild': ['agenda', 'agenda --hold', '--all'],
  'projections pause': ['agenda'],
  'projections resume': ['agenda'],
  'projections cancel': ['agenda'],
  'projections compare': ['agenda'],
  'projections switch': ['agenda'],
  'projections switch-back': ['agenda'],
  'projections drop': ['agenda', 'agenda --yes'],
  'projections verify': ['agenda', '--all --json'],
  'projections retry': ['agenda'],
  'projections skip': [`agenda --event ${ID} --reason 'a body that no longer exists'`],
  'reactors list': [''],
  'reactors unclassified': [''],
  'reactors retry': ['classification'],
  'reports list': ['--status received', '--older-than P2D'],
  'reports show': [ID],
  'reports lease': [`${ID} --holder ann --for PT2H`],
  'reports move': [`${ID} --holder ann --to investigating`],
  'reports note': [`${ID} --holder ann --text 'asked the clerk'`],
  'reports pause': ["intake --by ann --reason 'the queue is full'"],
  'reports resume': ['intake'],
  'reports work': ['--once'],
  'erase find': ["'Jane Roe' --ignore-case"],
  'erase record': [`${ID} --text 'Jane Roe' ${ERASING} --dry-run`, `${ID} ${OTHER_ID} --text 'Jane Roe' ${ERASING}`],
  'erase report': [`${ID} --text 'Jane Roe' ${ERASING}`],
  'erase account': [`${ID} --path /name --with 'Account 12' --reason personal_data`],
  'sample remove': ['', '--yes'],
  'cursor explain': ['AQEBohHouX9zq4irKSPtYdokAQAAAAAAAVAqQ8b-XNMPVrHIYx0'],
  doctor: ['', '--json'],
  backup: ['--to /backups/', '--to - > today.backup.gz'],
  'backup verify': ['/backups/today.backup.gz'],
  restore: ['/backups/today.backup.gz', '/backups/today.backup.gz --as-copy --yes'],
  'feed renew': ["--reason 'restored to 02:10 after the disk of db1 died'"],
  'feed keep': [''],
  'feed acknowledge': [''],
  'log copy': ['--to esdb://127.0.0.1:2113?tls=false', '--to postgresql'],
  replicate: ['--base-url http://127.0.0.1:8080 --key-file key.txt --to sqlite:mirror.db --verify'],
};

/** Returns complete command lines. */
export function examplesOf(words: readonly string[]): readonly string[] {
  const name = words.join(' ');
  const examples = EXAMPLES[name] ?? EXAMPLES[[...words.slice(0, -1), '*'].join(' ')] ?? [];
  const client = CLIENTS[words.at(-1) as SourceName];
  return examples.map((rest) => `civic ${name} ${rest.replaceAll('CLIENT', client)}`.trimEnd());
}

/** Adds its examples to the help of each command. */
export function addExamples(program: CommandUnknownOpts): void {
  for (const { words, command } of commandsOf(program)) {
    const lines = examplesOf(words);
    if (lines.length > 0) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
}
