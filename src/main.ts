import { enableCompileCache } from 'node:module';
import path from 'node:path';

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
