import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SystemPart } from './system-part.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Absolute path of a Chromium: CHROME_PATH, else in PATH, else where macOS keeps it. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.CHROME_PATH) return isExecutable(env.CHROME_PATH) ? env.CHROME_PATH : null;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...inPath, ...elsewhere].find(isExecutable) ?? null;
}

/** Whether browser tests can run here. */
export function chromiumPart(env: NodeJS.ProcessEnv = process.env): SystemPart {
  const path = findChromium(env);
  if (path !== null) return { available: true, detail: path };
  const reason = env.CHROME_PATH
    ? `CHROME_PATH names no program: ${env.CHROME_PATH}`
    : 'no Chromium in PATH: install chromium, or set CHROME_PATH';
  return { available: false, reason };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing and not executable are the same to a caller that goes on looking.
    return false;
  }
}
