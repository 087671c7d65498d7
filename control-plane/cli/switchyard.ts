import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { errorDocument, wantsJson } from '@switchyard/shared/settings/wants-json';
import { takeSecretVariables } from '@switchyard/shared/settings/take-secret-variables';
import { takeValuesFromFiles } from '@switchyard/shared/settings/take-values-from-files';
import { escapeUnseen } from '@switchyard/shared/text/escape-unseen';
import { machineTrouble } from '@switchyard/shared/text/machine-trouble';
import { messageOf } from '@switchyard/shared/message-of';
import { createRedactor } from '../src/observe/redaction/create-redactor.ts';
import { CommandError } from './client/command-error.ts';
import { commandList } from './command-list.ts';
import type { CommandContext } from './options/command-context.ts';
import { EXIT } from './client/exit.ts';
import { shownLog } from './options/shown-log.ts';
import { createLogger, type ProcessLogger } from '../src/admin/observability/create-logger.ts';
import { serviceVersion } from '../src/platform/node/service-version.ts';

/**
 * The command line with the named command complete; all others have only name and summary, which
 * suffices for their list and for completion in the shell.
 */
async function commandLine(argv: readonly string[], context: CommandContext): Promise<Command> {
  const program = new Command('switchyard')
    .usage('<command> [options]')
    .description('From an issue to a reviewed pull request, on machines you own.')
    .version(serviceVersion)
    .addHelpText('after', HELP)
    .exitOverride();
  // Commands inherit this setting when they are created. Refused arguments are then printed as
  // JSON.
  if (context.isJson) program.configureOutput({ writeErr: () => {} });
  const named = argv.find((word) => commandList.some(({ name }) => name === word));
  for (const { name, group, summary, load } of commandList) {
    if (name === named) (await load())(program, context);
    else program.command(name).description(summary).helpCommand(false);
    program.commands.at(-1)?.summary(summary).helpGroup(group);
  }
  // `completion` prints a script for the shell, and `complete` is called by that script.
  if (argv[0]?.startsWith('complet') === true || named === undefined) {
    const { default: tab } = await import('@bomb.sh/tab/commander');
    tab(program, { completionCommandName: 'completion' });
  }
  return program;
}

const HELP = `
switchyard <command> --help shows a command's options. Most commands ask a running service and take
--url, --data-dir and --json. Documentation: docs/ of the repository, or the dashboard under Help.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a part or setting is missing, 130 interrupted.`;

/** Runs the command line; resolves to the exit code. */
async function main(argv: string[]): Promise<number> {
  const { env } = process;
  const isJson = wantsJson(argv);
  const out = (text: string) => void process.stdout.write(escapeUnseen(text));
  const err = (text: string) => {
    if (!isJson) process.stderr.write(escapeUnseen(text));
  };
  const fail = (text: string, exitCode: number): number => {
    if (isJson) out(errorDocument(text, exitCode));
    else err(`switchyard: ${text}\n`);
    return exitCode;
  };
  try {
    takeValuesFromFiles(env, (path) => readFileSync(path, 'utf8'));
    takeSecretVariables(env);
  } catch (error) {
    return fail(messageOf(error), EXIT.notConfigured);
  }
  const redactor = createRedactor();
  const log = shownLog(argv, env);
  let exitCode: number = EXIT.done;
  const context: CommandContext = {
    env,
    redactor,
    isJson,
    log,
    // Standard output is for results; logs are written to standard error.
    logger: createLogger({
      write: (line) => void (log === 'none' || process.stderr.write(line)),
      ...(log === 'warnings'
        ? { level: 'warn', format: 'words' }
        : { level: env['LOG_LEVEL'], format: env['SERVICE_LOG_FORMAT'] }),
      nowMs: () => Date.now(),
      redactor,
    }),
    workingFolder: process.cwd(),
    // Untrusted texts may be part of any output, so all of it is escaped.
    out,
    err,
    finish: (code) => {
      exitCode = code;
    },
  };
  logWarnings(context.logger);
  try {
    await (await commandLine(argv, context)).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done;
      return isJson ? fail(error.message.replace(/^error: /, ''), EXIT.usage) : EXIT.usage;
    }
    const trouble = machineTrouble(error, `${process.platform}-${process.arch}`);
    const text = trouble?.message ?? messageOf(error);
    const failed = error instanceof CommandError ? error.exitCode : EXIT.failed;
    const code = trouble?.isMissingPart === true ? EXIT.notConfigured : failed;
    const logsJson = env['SERVICE_LOG_FORMAT']?.trim().toLowerCase() === 'json';
    if (isJson || !logsJson) return fail(text, code);
    context.logger.fatal(text);
    return code;
  }
  return exitCode;
}

/** Logs the warnings that Node would print itself, except those about experimental features. */
function logWarnings(logger: ProcessLogger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') logger.warn(message, { name });
  });
}

process.exit(await main(process.argv.slice(2)));
