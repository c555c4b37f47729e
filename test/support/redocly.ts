import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const inRoot = (...path: readonly string[]): string => join(root, ...path);

export interface ToolSaid {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a tool of Node in a folder. */
export const runTool = (cwd: string, ...command: readonly string[]): Promise<ToolSaid> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...command], {
      cwd,
      // No tool may use the network.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });

export const redocly = (cwd: string, ...args: readonly string[]): Promise<ToolSaid> =>
  runTool(cwd, inRoot('node_modules/@redocly/cli/bin/cli.js'), ...args);

/** The totals of `redocly lint --format=json`. */
export const lintTotals = ({ output }: ToolSaid): object =>
  (JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as { totals: object }).totals;
