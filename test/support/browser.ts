import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Starts no network request besides those of the page. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium of this machine: that of `CHROMIUM_PATH`, or one under its usual names; undefined if there is none. */
export function chromiumPath(): string | undefined {
  const configuredPath = process.env['CHROMIUM_PATH'];
  if (configuredPath !== undefined && configuredPath !== '')
    return existsSync(configuredPath) ? configuredPath : undefined;
  return ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) => {
    const path = spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim() ?? '';
    return path === '' ? [] : [path];
  })[0];
}

/** The name of a suite that needs a browser; it is skipped without one. */
export const NEEDS_CHROMIUM = 'in Chromium (install it, or set CHROMIUM_PATH to it, to run these)';

export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: ARGUMENTS, timeout: 60_000 });

/** All problems that a page reports: errors, warnings, refused loads, violations of its policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText ?? ''}`));
  return complaints;
}
