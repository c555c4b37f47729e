import { Command } from 'commander';
import type { CliContext } from './context.ts';

type AddCommands = (program: Command, context: CliContext) => void;

/** The commands in the order of the help. Each is loaded when it is asked for: a command starts without the others' libraries. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommands>>> = {
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  accounts: async () => (await import('./commands/accounts.ts')).addAccountsCommands,
  keys: async () => (await import('./commands/keys.ts')).addKeysCommands,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommand,
  records: async () => (await import('./commands/records.ts')).addRecordsCommands,
  sources: async () => (await import('./commands/sources.ts')).addSourcesCommands,
  payments: async () => (await import('./commands/payments.ts')).addPaymentsCommands,
  projections: async () => (await import('./commands/projections.ts')).addProjectionsCommands,
  reactors: async () => (await import('./commands/reactors.ts')).addReactorsCommands,
  reports: async () => (await import('./commands/reports.ts')).addReportsCommands,
  erase: async () => (await import('./commands/erase.ts')).addEraseCommands,
  sample: async () => (await import('./commands/sample.ts')).addSampleCommands,
  cursor: async () => (await import('./commands/cursor.ts')).addCursorCommands,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommands,
  restore: async () => (await import('./commands/restore.ts')).addRestoreCommand,
  feed: async () => (await import('./commands/feed.ts')).addFeedCommands,
  log: async () => (await import('./commands/log.ts')).addLogCommands,
  replicate: async () => (await import('./commands/replicate.ts')).addReplicateCommand,
};

/** The `civic` executable (the operator's contract) with the named command, or with all where none of that name is. Nothing runs until it is given arguments. */
export const createProgram = async (context: CliContext, name?: string): Promise<Command> => {
  const program = new Command('civic')
    .description('local-government civic records of north-central Texas as an ordered, provable change feed')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    });
  const wanted = name !== undefined && Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]!] : Object.values(COMMANDS);
  for (const add of await Promise.all(wanted.map((load) => load()))) add(program, context);
  return program;
};
