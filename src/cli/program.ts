import { Command } from '@commander-js/extra-typings';
import { SOFTWARE_VERSION } from '../../domain/health.ts';
import type { CliContext } from './context.ts';
import { addExamples } from './examples.ts';

/** Commands in the order of the help. Each loads only its own libraries. */
type Add = (program: Command, context: CliContext) => void;
const COMMANDS: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import('./verbs/serve.ts')).addServeCommand,
  sandbox: async () => (await import('./verbs/sandbox.ts')).addSandboxCommand,
  accounts: async () => (await import('./verbs/accounts.ts')).addAccountsCommands,
  keys: async () => (await import('./verbs/keys.ts')).addKeysCommands,
  audit: async () => (await import('./verbs/accounts.ts')).addAuditCommand,
  records: async () => (await import('./verbs/records.ts')).addRecordsCommands,
  sources: async () => (await import('./verbs/sources.ts')).addSourcesCommands,
  payments: async () => (await import('./verbs/payments.ts')).addPaymentsCommands,
  projections: async () => (await import('./verbs/projections.ts')).addProjectionsCommands,
  reactors: async () => (await import('./verbs/projections.ts')).addReactorsCommands,
  reports: async () => (await import('./verbs/reports.ts')).addReportsCommands,
  erase: async () => (await import('./verbs/erase.ts')).addEraseCommands,
  sample: async () => (await import('./verbs/sources.ts')).addSampleCommands,
  cursor: async () => (await import('./verbs/feed.ts')).addCursorCommands,
  doctor: async () => (await import('./verbs/doctor.ts')).addDoctorCommand,
  backup: async () => (await import('./verbs/backup.ts')).addBackupCommands,
  restore: async () => (await import('./verbs/backup.ts')).addRestoreCommand,
  feed: async () => (await import('./verbs/feed.ts')).addFeedCommands,
  log: async () => (await import('./verbs/log.ts')).addLogCommands,
  replicate: async () => (await import('./verbs/replicate.ts')).addReplicateCommand,
};

/** Creates the program with the named command, or with all commands if there is no such name. Parsing the arguments runs it. */
export async function createProgram(context: CliContext, name?: string): Promise<Command> {
  const program = new Command('civic')
    .description('local-government civic records of north-central Texas as an ordered, provable change feed')
    .version(SOFTWARE_VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    });
  const loaders = name !== undefined && Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]!] : Object.values(COMMANDS);
  for (const add of await Promise.all(loaders.map((load) => load()))) add(program, context);
  addExamples(program);
  return program;
}
