import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Setting, SETTINGS } from '../../src/app/setting-sections.ts';
import { fileVariable, readSettings } from '../../src/app/settings.ts';

const URL_TEXT = 'postgres://civic:s3cret@db.example/civic';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'civic-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const fileWith = (text: string): string => {
  const file = join(folder, 'secret');
  writeFileSync(file, text);
  return file;
};
function refusal(environment: NodeJS.ProcessEnv): string {
  try {
    readSettings(environment);
  } catch (error) {
    const { name, message } = error as Error;
    expect([name, message]).toEqual(['BadSetting', expect.not.stringContaining('s3cret')]);
    return message;
  }
  throw new Error('accepted');
}

describe('a secret setting in a file', () => {
  test('is read without the line end that editors add, and its variable is a known one', () => {
    const tokens = fileWith('legistar:nyc=s3cret\n');
    const { settings, warnings } = readSettings({ CIVIC_SOURCE_TOKENS_FILE: tokens });
    expect([settings.CIVIC_SOURCE_TOKENS?.get('legistar:nyc'), warnings]).toEqual(['s3cret', []]);
    expect(readSettings({ DATABASE_URL_FILE: fileWith(`${URL_TEXT}\r\n`) }).settings.DATABASE_URL).toBe(URL_TEXT);
  });

  test('exists for every setting whose value errors hide, except those that OpenTelemetry reads itself', () => {
    const variables = Object.entries<Setting>(SETTINGS).map(([name, [schema]]) => fileVariable(name, schema));
    expect(variables.filter((name) => name !== null)).toEqual([
      'CIVIC_BASE_URL_FILE',
      'DATABASE_URL_FILE',
      'EVENTSTORE_URL_FILE',
      'CIVIC_KAFKA_SASL_FILE',
      'CIVIC_X402_FACILITATOR_URL_FILE',
      'CIVIC_X402_RPC_URL_FILE',
      'CIVIC_SOURCE_TOKENS_FILE',
    ]);
    expect(readSettings({ CIVIC_HTTP_PORT_FILE: fileWith('1') }).warnings).toHaveLength(1);
  });

  test('with a bad value is refused with the names of setting and file', () => {
    const file = fileWith('mysql://civic:s3cret@db.example/civic');
    expect(refusal({ DATABASE_URL_FILE: file })).toBe(
      `DATABASE_URL, read from ${file}, is not usable; allowed is postgres://user:password@host:port/database`,
    );
  });

  test('is refused when the file is missing, a folder or empty', () => {
    const missing = join(folder, 'missing');
    expect(refusal({ DATABASE_URL_FILE: missing })).toBe(
      `DATABASE_URL_FILE names ${missing}, which cannot be read (ENOENT)`,
    );
    expect(refusal({ DATABASE_URL_FILE: folder })).toContain('which cannot be read (EISDIR)');
    const empty = fileWith(' \n');
    expect(refusal({ EVENTSTORE_URL_FILE: empty })).toBe(`EVENTSTORE_URL_FILE names ${empty}, which is empty`);
  });

  test('is refused beside the setting itself, whose empty text counts as unset', () => {
    const file = fileWith(URL_TEXT);
    expect(refusal({ DATABASE_URL: URL_TEXT, DATABASE_URL_FILE: file })).toBe(
      'DATABASE_URL and DATABASE_URL_FILE are both set: unset one',
    );
    expect(readSettings({ DATABASE_URL: '', DATABASE_URL_FILE: file }).settings.DATABASE_URL).toBe(URL_TEXT);
    expect(readSettings({ DATABASE_URL: URL_TEXT, DATABASE_URL_FILE: '' }).settings.DATABASE_URL).toBe(URL_TEXT);
  });

  test('that was written into the variable of the file is refused and not shown', () => {
    expect(refusal({ DATABASE_URL_FILE: URL_TEXT })).toBe(
      'DATABASE_URL_FILE is not usable; allowed is the absolute path of a file',
    );
  });
});
