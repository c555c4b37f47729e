import { describe, expect, test } from 'vitest';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import { BadSetting, readSettings } from '../../src/app/settings.ts';

const plans = (text: string) => readSettings({ CIVIC_PLANS: text }).settings.CIVIC_PLANS;

describe('plans', () => {
  test('are the built-in ones without a setting', () => {
    expect(readSettings({}).settings.CIVIC_PLANS).toEqual(BUILT_IN_PLANS);
    expect(BUILT_IN_PLANS).toEqual({
      default: {
        requestsPerMinute: 120,
        burstLimit: 30,
        exportRequestsPerHour: 12,
        maxPageSize: 500,
        maxResponseBytes: 5_000_000,
      },
      pro: {
        requestsPerMinute: 300,
        burstLimit: 50,
        exportRequestsPerHour: 24,
        maxPageSize: 500,
        maxResponseBytes: 5_000_000,
      },
      ultra: {
        requestsPerMinute: 900,
        burstLimit: 90,
        exportRequestsPerHour: 60,
        maxPageSize: 500,
        maxResponseBytes: 5_000_000,
      },
    });
  });

  test('that are set change the named values and leave the others', () => {
    const parsed = plans('{"pro":{"requests_per_minute":600,"max_page_size":50},"default":{}}');
    expect(parsed).toEqual({
      ...BUILT_IN_PLANS,
      pro: { ...BUILT_IN_PLANS.pro, requestsPerMinute: 600, maxPageSize: 50 },
    });
  });

  test.each([
    'null',
    '[]',
    '{"gold":{}}',
    '{"pro":{"requests":1}}',
    '{"pro":{"burst_limit":0}}',
    '{"pro":{"burst_limit":1.5}}',
    '{"pro":{"burst_limit":"30"}}',
    '{"pro":{"max_page_size":501}}',
    '{"pro":null}',
    '{"pro":{"burst_limit":30}',
  ])('set to %j are refused with one line that shows the format', (text) => {
    const refused = () => plans(text);
    expect(refused).toThrow(BadSetting);
    expect(refused).toThrow(
      /^CIVIC_PLANS is .*; allowed is JSON such as \{"default":\{"requests_per_minute":120[^\n]*$/,
    );
  });
});

describe('the abuse ceiling', () => {
  test('is read as a rate and its burst', () => {
    expect(readSettings({}).settings.CIVIC_ABUSE_LIMIT).toEqual({
      sustained: { requests: 1000, seconds: 60 },
      burst: { requests: 100, seconds: 1 },
    });
  });

  test.each(['1000/60', '1000/60,', '1000/60,100/1,1/1', '0/60,100/1', '1000,100', '1000/60;100/1'])(
    '%s is refused',
    (text) => {
      expect(() => readSettings({ CIVIC_ABUSE_LIMIT: text })).toThrow(
        /^CIVIC_ABUSE_LIMIT is .*such as 1000\/60,100\/1$/,
      );
    },
  );
});

test('billing is enforced unless the setting turns it off, and a mistyped value is refused', () => {
  expect(readSettings({}).settings.CIVIC_BILLING_ENFORCEMENT).toBe('on');
  expect(readSettings({ CIVIC_BILLING_ENFORCEMENT: 'off' }).settings.CIVIC_BILLING_ENFORCEMENT).toBe('off');
  expect(() => readSettings({ CIVIC_BILLING_ENFORCEMENT: 'OFF' })).toThrow(/on or off$/);
});

test.each([
  ['CIVIC_REPLAY_RETENTION', 'P999999999Y'],
  ['CIVIC_SNAPSHOT_LIFETIME', 'P101Y'],
  ['CIVIC_REPLAY_RETENTION', 'P0D'],
  ['CIVIC_STATEMENT_TIMEOUT', 'P30D'],
])('%s of %s is refused at the start', (name, text) => {
  expect(() => readSettings({ [name]: text })).toThrow(new RegExp(`^${name} is "${text}"`));
});
