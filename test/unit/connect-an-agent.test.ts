import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';

const PAGE = readFileSync(new URL('../../docs/developers/connect-an-agent.md', import.meta.url), 'utf8');

test('the table lists every tool and no other name', () => {
  const table = PAGE.slice(PAGE.indexOf('## The tools'), PAGE.indexOf('Each call counts'));
  expect([...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)).toEqual(TOOL_NAMES);
});
