import { type Command, Option } from 'commander';
import { DEFAULT_HOST, DEFAULT_PORT, parsePort } from './serve-options.ts';

/** Adds the flags of commands that send requests to a running service. */
export function withServiceOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <address>', 'address of the service (or SWITCHYARD_URL)'))
    .addOption(
      new Option(
        '--port <n>',
        `its port on this machine (default: that of what uses the data folder, else ${DEFAULT_PORT})`,
      ).argParser(parsePort),
    )
    .addOption(
      new Option(
        '--host <address>',
        `its address on this machine (default: likewise, else ${DEFAULT_HOST})`,
      ),
    )
    .addOption(new Option('--data-dir <folder>', 'data folder of a service on this machine'))
    .addOption(new Option('--json', 'print JSON and nothing else'));
}
