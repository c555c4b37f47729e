import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answered, bannerOf, MAIN, plainEnvironment, RAISED_ALLOWANCES, runProgram } from './service.ts';

/** An API process on an existing database; it folds nothing. */
export interface ApiProcess {
  readonly baseUrl: string;
  readonly pid: number;
  stop(): Promise<Answered>;
  /** Ends the process like `kill -9`. Resolves when it has ended. */
  kill9(): Promise<void>;
}

export async function startApiProcess(url: string): Promise<ApiProcess> {
  const cwd = mkdtempSync(join(tmpdir(), 'civic-api-'));
  const env = {
    ...plainEnvironment(),
    DATABASE_URL: url,
    CIVIC_SAMPLE: 'off',
    CIVIC_HTTP_PORT: '0',
    CIVIC_OPS_PORT: 'off',
    CIVIC_STATEMENT_TIMEOUT: 'PT60S',
    ...RAISED_ALLOWANCES,
  };
  const program = runProgram([process.execPath, MAIN, 'serve', '--role', 'api'], { cwd, env });
  const end = async (signal: NodeJS.Signals): Promise<Answered> => {
    program.kill(signal);
    const answered = await program.ended;
    rmSync(cwd, { recursive: true, force: true });
    return answered;
  };
  try {
    const baseUrl = /^Civic Records +(http\S+)$/m.exec(await bannerOf(program))![1]!;
    return { baseUrl, pid: program.pid, stop: () => end('SIGTERM'), kill9: async () => void (await end('SIGKILL')) };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}
