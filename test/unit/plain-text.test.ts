import { describe, expect, it } from 'vitest';
import { plainText } from '../../domain/plain-text.ts';

describe('plain text', () => {
  it.each([
    ['a &lt;b&gt;bold&lt;/b&gt; claim', 'a bold claim'],
    ['<style>p { color: red }</style>One<br/>Two', ' One\nTwo'],
    ['--em--Note--em-- 5 &gt; 4 &amp;c.', ' Note  5 > 4 &c.'],
    ['&#8220;A&#x201d;&rsquo;s', '“A”’s'],
  ])('of "%s" has neither tags nor entities', (marked, plain) => expect(plainText(marked)).toBe(plain));

  it.each(['lots < 5 acres and > 2', 'AT&T; <Example Partners>', '&#0;&#xd800;&unknown;', 'x <bracket> y'])('keeps "%s"', (text) =>
    expect(plainText(text)).toBe(text),
  );
});
