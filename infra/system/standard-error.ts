import { write, writeSync } from 'node:fs';

const DESCRIPTOR = 2;
/** Most characters that wait to be written. Further lines are dropped. */
const MAX_WAITING = 1024 * 1024;
const AGAIN_MS = 50;

/**
 * Writes lines to standard error in order without blocking the caller, even if the reader stops or the disk is full.
 * Tries once to write the waiting lines at exit; pino's asynchronous destination would retry endlessly on a full disk.
 */
export class StandardError {
  /** Called with the number of dropped lines as soon as writing works again. */
  readonly #onDropped: (lines: number) => void;
  #waiting: string[] = [];
  #characters = 0;
  #dropped = 0;
  #isWriting = false;

  constructor(onDropped: (lines: number) => void) {
    this.#onDropped = onDropped;
    process.once('exit', () => this.#flush());
  }

  write(line: string): void {
    if (this.#characters + line.length > MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#characters += line.length;
    if (!this.#isWriting) this.#next();
  }

  #take(): Buffer {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#characters = 0;
    return Buffer.from(text);
  }

  #next(): void {
    this.#isWriting = this.#waiting.length > 0;
    if (!this.#isWriting) return;
    const lines = this.#waiting.length;
    this.#send(this.#take(), lines);
  }

  #send(bytes: Buffer, lines: number): void {
    write(DESCRIPTOR, bytes, (error, bytesWritten) => {
      if (error?.code === 'EAGAIN') return void setTimeout(() => this.#send(bytes, lines), AGAIN_MS);
      if (error === null && bytesWritten < bytes.length) return this.#send(bytes.subarray(bytesWritten), lines);
      if (error !== null) this.#dropped += lines;
      else if (this.#dropped > 0 && this.#waiting.length === 0) {
        const dropped = this.#dropped;
        this.#dropped = 0;
        this.#onDropped(dropped);
      }
      this.#next();
    });
  }

  #flush(): void {
    try {
      for (let bytes = this.#take(); bytes.length > 0; ) bytes = bytes.subarray(writeSync(DESCRIPTOR, bytes));
    } catch {
      // Standard error failed, so there is nowhere to report it.
    }
  }
}
