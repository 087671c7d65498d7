import { spawn } from 'node:child_process';
import { replaceFile } from '../src/platform/node/secrets/replace-file.ts';
import { join } from 'node:path';

const PAGE = 'open.html';

/**
 * Shows a page where there is a screen; without one it quietly does nothing. An address that signs
 * in never stands in an argument, which every user of the machine could read: the browser is given
 * a page in the data folder that leads there.
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

/** Its code is used up by the browser or dead within minutes, so that the page may stay. */
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
