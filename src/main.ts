import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { limitedStart } from './process-limits.ts';

const limited = limitedStart(process);
// The same process, its number, its streams and its place below a supervisor: only Node begins again.
if (limited !== null) process.execve?.(process.execPath, [process.execPath, ...limited.args], limited.env);

// Compiled code is kept between starts, which halves the time of one; it must be on before the program is imported.
enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/civic'));
// An attempt to send traces keeps a program alive that has ended: three seconds are enough, where nobody says otherwise.
process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] ??= '3000';
const { runCli } = await import('./cli/run.ts');
// Help, and what is refused for its arguments, need nothing of the outside.
const composition = () => import('./composition.ts');

process.exitCode = await runCli({
  process,
  open: async (...given) => (await composition()).openCivic(...given),
  stores: async (settings) => (await composition()).openStoresAlone(settings),
  probes: async (settings) => (await composition()).probesOf(settings),
  clock: Date,
});
