#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { EXIT, serveOptions } from './command-line/common-options.ts';
import type { ServeFlags } from './serve-flags.ts';
import { runner } from './command-line/runner.ts';
import { start } from './command-line/start.ts';
import { createLogger } from './create-logger.ts';
import { type DemoFlags, runDemo } from './demo/run-demo.ts';
import { serviceVersion } from './package-facts.ts';

const { env } = process;
// Standard output belongs to results; a service's own logs go there only when nothing else does.
const logger = createLogger({
  write: (line) => void process.stderr.write(line),
  level: env['LOG_LEVEL'],
  format: env['SERVICE_LOG_FORMAT'],
  nowMs: () => Date.now(),
});

/** Every command resolves to an exit code. */
function commandLine(finish: (code: number) => void): Command {
  const program = new Command('switchyard')
    .description('From an issue to a reviewed pull request, on machines you own.')
    .version(serviceVersion)
    .exitOverride();
  const startCommand = program
    .command('start')
    .description('serve the control plane, with a runner beside it')
    .action(async (flags: ServeFlags) => finish(await start(flags, { env, logger })));
  const demoCommand = program
    .command('demo')
    .description('see an issue become a pull request, with a scripted model and no account')
    .option('--once', 'stop when the pull request is there')
    .option('--json', 'print one JSON object and nothing else')
    .action(async (flags: DemoFlags) => finish(await runDemo(flags, { env, logger })));
  for (const option of serveOptions()) {
    startCommand.addOption(option);
    if (option.attributeName() !== 'runner') demoCommand.addOption(option);
  }
  program
    .command('runner')
    .description('run agents for a control plane (see: switchyard runner --help)')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]')
    .action(async (args: string[]) => finish(await runner(args)));
  return program;
}

async function main(argv: string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  try {
    await commandLine((code) => {
      exitCode = code;
    }).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    process.stderr.write(`switchyard: ${explain(error)}\n`);
    return EXIT.failed;
  }
  return exitCode;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `${error.message}: something else listens there; choose another with --port (0 takes any)`;
  }
  return error.message;
}

process.exit(await main(process.argv.slice(2)));
