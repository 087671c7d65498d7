import { InvalidArgumentError, Option } from 'commander';

export const DEFAULT_PORT = 4000;
export const DEFAULT_HOST = '127.0.0.1';

/** Flags that `start` and `demo` share. */
export function serveOptions(): Option[] {
  return [
    new Option('--port <n>', 'port to listen on, 0 for any')
      .default(DEFAULT_PORT)
      .argParser(parsePort),
    new Option('--host <address>', 'address to listen on').default(DEFAULT_HOST),
    new Option('--data-dir <folder>', 'where the database and the local runner keep everything'),
    new Option('--sandbox <kind>', 'isolation of agents')
      .choices(['auto', 'docker', 'process'])
      .default('auto'),
    new Option('--image <name>', 'sandbox image, when not our own; it is pulled and never built'),
    new Option('--base-image <name>', 'Debian image that our own sandbox image is built on'),
    new Option(
      '--build-image',
      'build or pull the sandbox image when it is missing, while agents already work',
    ),
    new Option(
      '--engine <list>',
      'agent engines that the sandbox image has to have, comma-separated',
    ),
    new Option('--accept-licence', 'accept the terms of proprietary engines that are installed'),
    new Option('--slots <n>', 'agents at a time on this machine (default: what it can hold)'),
    new Option('--labels <list>', 'labels of the local runner, comma-separated'),
    new Option('--allow-image <name...>', 'sandbox images that may be configured, * at the end'),
    new Option(
      '--allow-private-host <host...>',
      'hosts in private networks that agents may reach where configured, with an optional :port',
    ),
    new Option(
      '--allow-folder <path...>',
      'folders in which file:// repositories may lie (default: the home folder)',
    ),
    new Option('--no-open', 'do not open a browser'),
    new Option('--no-runner', 'serve the control plane only'),
  ];
}

/** A port from a flag; refused as wrong use when it is none. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('a port is a whole number from 0 to 65535.');
  }
  return port;
}
