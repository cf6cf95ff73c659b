import fs from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Browser, FrameLocator, Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
/** Flags that keep the browser from looking for hosts of its own. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];

/** False to skip the tests in a browser. */
export const HAS_CHROMIUM = fs.existsSync(CHROMIUM);

/** Starts the browser of the system. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-component-update', ...QUIET] });
}
