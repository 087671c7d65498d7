import { spawn } from 'node:child_process';

/** Shows a page where there is a screen; without one it quietly does nothing. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv): void {
  if (process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [url], { stdio: 'ignore', detached: true });
  child.once('error', () => process.stderr.write(`open ${url} in a browser\n`));
  child.unref();
}
