import { parseArgs } from 'node:util';
import type { Bench, Load, Row, Size } from './rig/bench.ts';
import { Datasets } from './rig/datasets.ts';
import { describeSetting } from './rig/setting.ts';
import { stopAll } from './rig/processes.ts';
import { tableText, writeResult } from './rig/report.ts';
import { LOADS } from './loads/all.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    size: { type: 'string', default: 'small' },
    rounds: { type: 'string', default: '5' },
  },
});

const usage = (): string =>
  [
    'npm run bench -- [NAME…] [--size small|full] [--rounds N]',
    '',
    'Compares the program with a yardstick, run beside it turn by turn. Without a name: every load. A row of JSON for each load goes to',
    'bench/results/; the table ends the output.',
    '',
    ...LOADS.map(({ name, title }) => `  ${name.padEnd(20)} ${title}`),
    '',
  ].join('\n');

function chosen(): readonly Load[] {
  const unknown = positionals.filter((name) => !LOADS.some((load) => load.name === name));
  if (unknown.length > 0)
    throw new Error(`there is no load ${unknown.join(', ')}; there are ${LOADS.map(({ name }) => name).join(', ')}`);
  return positionals.length === 0 ? LOADS : LOADS.filter(({ name }) => positionals.includes(name));
}

const sizes = { small: [1000, 10_000, 100_000], full: [10_000, 100_000, 1_000_000] } as const;

async function run(): Promise<void> {
  const size = values.size as Size;
  if (!Object.hasOwn(sizes, size)) throw new Error(`--size is small or full, not ${size}`);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number from 1');
  const loads = chosen();
  const datasets = new Datasets();
  const bench: Bench = {
    size,
    rounds,
    sizes: sizes[size],
    datasets,
    say: (text) => process.stderr.write(`  ${text}\n`),
  };
  const rows: Row[] = [];
  try {
    const setting = await describeSetting(datasets.folder());
    for (const load of loads) {
      process.stderr.write(`${load.name}: ${load.title}\n`);
      try {
        const measured = await load.run(bench);
        writeResult(load.name, { size, rounds, setting, rows: measured });
        rows.push(...measured);
      } catch (error) {
        process.exitCode = 1;
        process.stderr.write(`${load.name} failed: ${(error as Error).stack}\n`);
      }
    }
    process.stdout.write(tableText(setting, { size, rounds }, rows));
  } finally {
    await stopAll();
    datasets.remove();
  }
}

if (values.help === true) process.stdout.write(usage());
else {
  await run().catch((error: Error) => {
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 1;
  });
}
