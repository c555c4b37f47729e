import { parseArgs } from 'node:util';
import { FAULTS } from './faults/all-faults.ts';
import { runSoak } from './run-soak.ts';
import { longSoak, shortSoak } from './plans.ts';
import { soakTable } from './soak-table.ts';

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    mirrors: { type: 'string' },
    fuzz: { type: 'string' },
  },
});

const USAGE = `npm run soak -- [--minutes N] [--seed N] [--short] [--only KIND,…] [--mirrors N] [--fuzz N]

Runs the whole service in many processes, with everybody who uses it, under one fault after the other; docs/contributors/soak.md says how to read
what it prints. --short is what npm test runs. --fuzz is the number of hostile conversations after the faults. The kinds of faults are:
${Object.keys(FAULTS)
  .map((kind) => `  ${kind}`)
  .join('\n')}
`;

// The started processes end on a requested exit too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

async function run(): Promise<void> {
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const minutes = Number(values.minutes);
  if (!Number.isSafeInteger(seed) || !(minutes > 0))
    throw new Error('--seed is a whole number, --minutes a number over 0');
  const only = values.only?.split(',');
  const unknown = only?.find((kind) => !Object.hasOwn(FAULTS, kind));
  if (unknown !== undefined) throw new Error(`there is no kind of fault ${unknown}`);
  const whole = values.short ? shortSoak(seed) : longSoak(seed, minutes);
  const plan = {
    ...whole,
    ...(only === undefined ? {} : { kinds: only }),
    ...(values.mirrors === undefined ? {} : { mirrors: Number(values.mirrors) }),
    ...(values.fuzz === undefined ? {} : { fuzz: Number(values.fuzz) }),
  };
  process.stderr.write(`soak with seed ${seed}: ${JSON.stringify(plan)}\n`);
  const result = await runSoak(plan, {
    onFault: ({ kind, description, readyAfterMs }, progress) =>
      process.stderr.write(
        `${progress} | ${kind}: ${description}, ready after ${readyAfterMs === null ? 'TOO LONG' : `${Math.round(readyAfterMs)} ms`}\n`,
      ),
    onBatch: (description) => process.stderr.write(`fuzz ${description}\n`),
    onFailure: (failure) => process.stderr.write(`WRONG: ${failure}\n`),
  });
  process.stdout.write(soakTable(plan, result));
  if (result.failures.length > 0) process.exitCode = 1;
}

if (values.help) process.stdout.write(USAGE);
else await run();
