import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { programFile } from '../domain/program-files.ts';
import { limitedStart } from './process-limits.ts';

// Stores compiled code between starts, which halves their time.
const compileCache = fileURLToPath(programFile('node_modules/.cache/civic'));
const limited = limitedStart(process, compileCache);
// Replaces Node in the same process: its number, its streams and its supervisor stay.
if (limited !== null) process.execve?.(process.execPath, [process.execPath, ...limited.args], limited.env);

// Must precede the import of the program.
enableCompileCache(compileCache);
// The exporter of traces keeps an ended program alive until its timeout: 3 s unless set.
process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] ??= '3000';
// The writer of roarr, which slonik logs through, throws the errors of standard output; it leaves the writer of a newer version in place.
Object.assign(globalThis, { ROARR: { versions: ['999.0.0'], write: () => undefined } });
const { runCli } = await import('./cli/run.ts');
// Loaded on demand: help and refused arguments do not need it.
const composition = () => import('./composition.ts');

process.exitCode = await runCli({
  process,
  open: async (...given) => (await composition()).openCivic(...given),
  openAhead: async (...given) => (await composition()).openCivicAhead(...given),
  stores: async (...given) => (await composition()).openStoresAlone(...given),
  probes: async (settings) => (await composition()).probesOf(settings),
  clock: Date,
});
