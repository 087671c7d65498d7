import { spawn } from 'node:child_process';
import { replaceFile } from '../src/platform/node/secrets/replace-file.ts';
import { join } from 'node:path';

const PAGE = 'open.html';

/**
 * Opens a page in the browser of a graphical session; without one it is a no-op. An address that
 * signs in is never passed as an argument, which every user of the machine could read: the browser
 * opens a page in the data folder that redirects to it.
 */
export function openBrowser(
  url: string,
  { env, dataDir, say }: { env: NodeJS.ProcessEnv; dataDir: string; say(text: string): void },
): void {
  if (process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const { origin, hash } = new URL(url);
  const target = hash === '' ? url : redirectPage(dataDir, url);
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [target], { env, stdio: 'ignore', detached: true });
  child.once('error', () => say(`open ${origin} in a browser\n`));
  child.unref();
}

/**
 * Writes the page that redirects to the address. The code in it is used or expired within minutes,
 * so the page may remain.
 */
function redirectPage(dataDir: string, url: string): string {
  const path = join(dataDir, PAGE);
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  replaceFile(
    path,
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
      `<meta http-equiv="refresh" content="0;url=${address}"><title>Switchyard</title>\n`,
  );
  return path;
}
