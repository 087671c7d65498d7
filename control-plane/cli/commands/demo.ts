import { InvalidArgumentError, Option } from 'commander';
import { type DemoFlags, runDemo } from '../demo/run-demo.ts';
import type { RegisterCommand } from '../options/command-context.ts';
import { serveOptions } from '../options/serve-options.ts';

/** `switchyard demo`: shows the product without an account. */
export const registerDemo: RegisterCommand = (program, context) => {
  const command = program
    .command('demo')
    .description('see an issue become a pull request, with a scripted model and no account')
    .option('--once', 'stop when the pull request is there')
    .option('--json', 'print one JSON object and nothing else')
    .option(
      '--engine <name>',
      'agent engine that works (default: as for an issue that names none); installed when missing',
    )
    .addOption(
      new Option(
        '--think-ms <n>',
        'how long the scripted model thinks before each answer, milliseconds',
      ).argParser(parseThinkMs),
    )
    .action(async (flags: DemoFlags) => context.finish(await runDemo(flags, context)));
  for (const option of serveOptions()) {
    if (!OWN_OPTIONS.has(option.attributeName())) command.addOption(option);
  }
};

/** Options of `start` that the demo lacks or defines in its own way. */
const OWN_OPTIONS = new Set(['runner', 'engine']);
const MAX_THINK_MS = 120_000;

function parseThinkMs(text: string): number {
  const thinkMs = Number(text);
  if (!Number.isInteger(thinkMs) || thinkMs < 0 || thinkMs > MAX_THINK_MS) {
    throw new InvalidArgumentError(`give a whole number of milliseconds, 0 to ${MAX_THINK_MS}.`);
  }
  return thinkMs;
}
