import { appendFileSync, renameSync, statSync } from 'node:fs';

/** A file of lines that keeps itself small: at the limit it becomes `<path>.1` and a new one begins. Remembers the latest lines. */
export interface BoundedLog {
  write(chunk: string): void;
  readonly tail: readonly string[];
}

const remembered = 60;

/** Opens a bounded log that appends to `path`, up to `limit` bytes a file. What cannot be written (a full disk) is only remembered. */
export function boundedLog(path: string, limit: number): BoundedLog {
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let partial = '';
  const tail: string[] = [];
  return {
    tail,
    write(chunk: string): void {
      const lines = (partial + chunk).split('\n');
      partial = lines.pop() ?? '';
      tail.push(...lines);
      tail.splice(0, Math.max(0, tail.length - remembered));
      try {
        if (size + chunk.length > limit) {
          renameSync(path, `${path}.1`);
          size = 0;
        }
        appendFileSync(path, chunk, { mode: 0o600 });
        size += Buffer.byteLength(chunk);
      } catch {
        // A log that cannot be written must not stop the database that it describes.
      }
    },
  };
}
