#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { programFile } from '../plumbing/program-files.ts';
import { listenForStopSignals } from './cli/stop-signals.ts';

const signals = listenForStopSignals(process);

// Caches compiled code between starts. Must precede the import of the program; worker threads read the variable.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(programFile('node_modules/.cache/civic'));
enableCompileCache();
// The trace exporter delays the exit by up to this timeout.
process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] ??= '3000';
// slonik logs through roarr, which listens for errors of standard output and throws them. The command line reports them itself.
const { ROARR } = await import('roarr');
ROARR.teardown?.();
const { runCli } = await import('./cli/run.ts');
// Loaded on demand: help and refused arguments do not need it.
const composition = () => import('./app/composition.ts');

process.exitCode = await runCli({
  process,
  signals,
  open: async (...args) => (await composition()).openCivic(...args),
  openAhead: async (...args) => (await composition()).openCivicAhead(...args),
  stores: async (...args) => (await composition()).openStoresAlone(...args),
  documents: async () => (await composition()).openDocuments(),
  connectors: async (settings) => (await composition()).openConnectors(settings),
  probes: async (settings) => (await composition()).probesOf(settings),
  clock: Date,
});
