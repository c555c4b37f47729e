import type { Command } from 'commander';
import { explainCursor } from '../../../queries/feed/explain-cursor.ts';
import type { CliContext } from '../context.ts';
import { runs } from '../verb.ts';

export function addCursorCommands(program: Command, context: CliContext): void {
  const explain = program
    .command('cursor')
    .description('cursors that customers hold')
    .command('explain <cursor>')
    .description('say what a cursor is, where it stands, and what reading with it comes to now');
  runs(context, 'read models', explain, ({ reads, clock, settings }, _, cursor) =>
    explainCursor({ reads, clock, retentionMs: settings.CIVIC_REPLAY_RETENTION }, cursor),
  );
}
