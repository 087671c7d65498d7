import { type ChildProcess, spawn } from 'node:child_process';

/** Runs a program at a pseudo terminal and passes on what it shows there; ends with it. */
const RELAY = `
import os, pty, sys, signal
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
def stop(*_):
    os.write(fd, b'\\x03')
signal.signal(signal.SIGTERM, stop)
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xff)
`;

export type InTerminal = {
  child: ChildProcess;
  /** What stands on the terminal so far. */
  shown(): string;
  /** Presses Ctrl-C and answers the exit code. */
  interrupt(): Promise<number | null>;
};

/** A program with a terminal as its standard input, output and error; needs python3. */
export function inTerminal(
  command: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): InTerminal {
  const child = spawn('python3', ['-c', RELAY, ...command], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString().replaceAll('\r\n', '\n')));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    shown: () => shown,
    interrupt() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
