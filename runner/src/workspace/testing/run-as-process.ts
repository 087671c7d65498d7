import { rename, writeFile } from 'node:fs/promises';
import { runProcess } from '../git/run-process.ts';
import type { RunInWorkspace } from '../workspace.ts';

const OVERRIDES = '-dac_override,-dac_read_search';
const WITHOUT_OVERRIDE = ['setpriv', `--bounding-set=${OVERRIDES}`, `--inh-caps=${OVERRIDES}`];

/** RunInWorkspace as a plain process in the folder; `calls` shows what was asked. */
export function runAsProcess(
  folder: string,
  options: {
    env?: Record<string, string>;
    uid?: number;
    signal?: AbortSignal;
    /** What no mode bit lets it read stays closed to it, also when the tests run as root. */
    readsByMode?: boolean;
  } = {},
): RunInWorkspace & { calls: Parameters<RunInWorkspace>[0][] } {
  const calls: Parameters<RunInWorkspace>[0][] = [];
  const run: RunInWorkspace = async (command) => {
    calls.push(command);
    const asUser =
      options.uid === undefined
        ? []
        : ['setpriv', `--reuid=${options.uid}`, `--regid=${options.uid}`, '--clear-groups'];
    const byMode = options.readsByMode === true && process.getuid?.() === 0 ? WITHOUT_OVERRIDE : [];
    const [file = '', ...args] = [...byMode, ...asUser, ...command.argv];
    const result = await runProcess({
      file,
      args,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        ...options.env,
        ...command.env,
      },
      cwd: folder,
      timeoutMs: command.timeoutMs,
      maxOutputBytes: command.maxOutputBytes,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (command.stdoutFile !== undefined) {
      await writeFile(`${command.stdoutFile}.part`, result.stdout);
      await rename(`${command.stdoutFile}.part`, command.stdoutFile);
    }
    return {
      exitCode: result.exitCode ?? 137,
      stdout: command.stdoutFile === undefined ? result.stdout.toString('utf8') : '',
      stderr: result.stderr,
      timedOut: result.timedOut,
      outputExceeded: result.outputExceeded,
    };
  };
  return Object.assign(run, { calls });
}
