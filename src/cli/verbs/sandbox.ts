import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { Rejection } from '../../../domain/rejections.ts';
import type { Civic } from '../../app/civic.ts';
import { BadSetting } from '../../app/settings.ts';
import type { CliContext } from '../context.ts';
import { warn } from '../output.ts';
import type { Failures } from '../sandbox/failures.ts';
import type { ChangeablePlans } from '../sandbox/settings.ts';
import { wholeParser } from '../verb.ts';

const LOOPBACK = '127.0.0.1';

export function addSandboxCommand(program: Command, context: CliContext): void {
  program
    .command('sandbox')
    .description(
      'run a throw-away service with made-up records, a movable clock and failures on request, until SIGTERM or SIGINT',
    )
    .option(
      '--control-port <port>',
      'port of the control address on 127.0.0.1; 0 picks a free one',
      wholeParser('--control-port', 0, 65_535),
      0,
    )
    .option('--json', 'print addresses and keys as one JSON value')
    .action(async (options) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'civic-sandbox-'));
      try {
        // If root starts it, the embedded PostgreSQL runs as another user, who must be able to enter its folder below
        // this one.
        chmodSync(folder, 0o755);
        await runSandbox(context, folder, options);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
}

interface SandboxAddresses {
  readonly service: string;
  readonly control: string;
  readonly operators: string | null;
  readonly key: string;
  readonly payAsYouGoKey: string;
}

/** State of a sandbox that has started. */
interface Running {
  readonly civic: Civic;
  readonly plans: ChangeablePlans;
  readonly printed: SandboxAddresses;
}

interface SandboxOptions {
  readonly controlPort: number;
  readonly json?: true;
}

/** Loads half of the code of the program, which only `serve` and this command need. */
const loadModules = async () => ({
  ...(await import('../../app/serving/serve.ts')),
  ...(await import('../sandbox/control.ts')),
  ...(await import('../sandbox/failures.ts')),
  ...(await import('../sandbox/changes.ts')),
  ...(await import('../sandbox/settings.ts')),
});

async function runSandbox(context: CliContext, folder: string, { controlPort, json }: SandboxOptions): Promise<void> {
  const modules = await loadModules();
  let ahead = 0;
  let running: Running | undefined;
  const started = (): Running => {
    if (running === undefined) throw new Rejection('feed_unavailable', 'the sandbox is still starting');
    return running;
  };
  const failures = modules.createFailures(
    { sleep: (...pause) => started().civic.machineClock.sleep(...pause) },
    () => started().civic.deadlineMs,
  );
  const say = (fields: object, message: string): void => warn(context, `${message} ${JSON.stringify(fields)}`);
  const control = modules.createControl({
    civic: () => started().civic,
    failures,
    plans: () => started().plans,
    clock: { advance: (milliseconds) => void (ahead += milliseconds) },
    printed: () => started().printed,
    logger: { debug: () => undefined, info: () => undefined, warn: say, error: say },
  });
  const { url } = await control.listen({ host: LOOPBACK, port: controlPort }).catch((error: Error) => {
    throw new BadSetting(
      `${LOOPBACK}:${controlPort} is not available (${error.message}): pass another --control-port, or 0`,
    );
  });
  try {
    const onStarted = (begun: Running): string => {
      running = begun;
      return json === true ? `${JSON.stringify(begun.printed)}\n` : bannerText(begun.printed);
    };
    await serveSandbox({ context, modules, folder, failures, url, ahead: () => ahead, onStarted });
  } finally {
    await control.close(context.hurrying);
  }
}

interface Serving {
  readonly context: CliContext;
  readonly modules: Awaited<ReturnType<typeof loadModules>>;
  readonly folder: string;
  readonly failures: Failures;
  /** Address of the control. */
  readonly url: string;
  /** Milliseconds by which the clock of the sandbox is ahead. */
  readonly ahead: () => number;
  /** Returns the text to print. */
  readonly onStarted: (running: Running) => string;
}

async function serveSandbox({ context, modules, folder, failures, url, ahead, onStarted }: Serving): Promise<void> {
  const { settings, plans, left } = modules.sandboxSettings(context.examination.environment, {
    dataDir: path.join(folder, 'data'),
    facilitatorUrl: `${url}/facilitator`,
  });
  if (left.length > 0) warn(context, `a sandbox uses its own data and ignores ${left.join(', ')}`);
  const civic = await context.openAhead(settings, ahead);
  try {
    const keys = await modules.openAccounts(civic);
    await modules.serve(modules.withFailures(civic, failures), {
      role: 'all',
      stopping: context.stopping,
      hurrying: context.hurrying,
      print: (text) => void context.stdout.write(text),
      toTerminal: false,
      banner: ({ baseUrl, opsUrl }) => {
        const printed = { service: baseUrl!, control: `${url}/sandbox`, operators: opsUrl, ...keys };
        return onStarted({ civic, plans, printed });
      },
      disturb: (operation, answer) => failures.disturb(operation, answer),
    });
  } finally {
    await civic.close();
  }
}

function bannerText({ service, control, operators, key, payAsYouGoKey }: SandboxAddresses): string {
  const post = (what: string, body: string): string =>
    `  curl -H 'Content-Type: application/json' -d '${body}' ${control}${what}`;
  return [
    '',
    `Civic Records  ${service}  (a sandbox: its data is deleted at the end)`,
    ...(operators === null ? [] : [`operators      ${operators}/ops`]),
    `control        ${control}`,
    `API key        ${key}  (an Ultra account)`,
    `API key        ${payAsYouGoKey}  (pay as you go)`,
    '',
    'Try:',
    `  curl -H 'Authorization: Bearer ${key}' '${service}/api/v1/data/changes?limit=2'`,
    post('/failures', '{"operation":"readCivicChanges","answer":503,"times":3}'),
    post('/clock', '{"advance":"P31D"}'),
    '',
    'All of it: docs/developers/sandbox.md',
    '',
    '',
  ].join('\n');
}
