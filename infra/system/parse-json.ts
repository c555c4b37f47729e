import { JSONParser } from '@streamparser/json';
import { stopwatch } from './clock.ts';

/** Texts up to this length are parsed in one call, within a few milliseconds. */
const AT_ONCE_CHARACTERS = 512 * 1024;
/** Characters parsed before the time is checked. */
const SLICE = 16 * 1024;
/** Milliseconds of parsing before yielding to the event loop. */
const TURN_MS = 10;
/** Size of the string buffer. With a smaller one, a long string consists of millions of pieces. */
const STRING_BUFFER_BYTES = 64 * 1024;
const NUMBER_BUFFER_BYTES = 64 * 1024;

/**
 * Parses JSON from chunks of UTF-8 without blocking the event loop, however long the text is. Throws `SyntaxError` if
 * it is not JSON, `TypeError` if it is not UTF-8, and the errors of `chunks`.
 */
export async function parseJsonInTurns(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let short = '';
  let long: ReturnType<typeof createLongParser> | undefined;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (long === undefined && short.length + text.length > AT_ONCE_CHARACTERS) {
      long = createLongParser();
      await long.write(short);
    }
    if (long === undefined) short += text;
    else await long.write(text);
  }
  const rest = decoder.decode();
  if (long === undefined) return JSON.parse(short + rest);
  await long.write(rest);
  return long.end();
}

function createLongParser() {
  const parser = new JSONParser({
    paths: ['$'],
    stringBufferSize: STRING_BUFFER_BYTES,
    numberBufferSize: NUMBER_BUFFER_BYTES,
  });
  let value: unknown;
  parser.onError = ({ message }) => {
    throw new SyntaxError(message);
  };
  parser.onValue = (parsed) => {
    if (parsed.stack.length === 0) ({ value } = parsed);
  };
  let turnFrom = stopwatch();
  return {
    async write(text: string): Promise<void> {
      for (let from = 0; from < text.length; from += SLICE) {
        parser.write(text.slice(from, from + SLICE));
        if (stopwatch() - turnFrom < TURN_MS) continue;
        await new Promise(setImmediate);
        turnFrom = stopwatch();
      }
    },
    end(): unknown {
      if (!parser.isEnded) parser.end();
      return value;
    },
  };
}
