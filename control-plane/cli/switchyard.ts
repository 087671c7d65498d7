import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { takeValuesFromFiles } from '@switchyard/shared/settings/take-values-from-files';
import { escapeUnseen } from '@switchyard/shared/text/escape-unseen';
import { machineTrouble } from '@switchyard/shared/text/machine-trouble';
import { createRedactor } from '../src/observe/observability/create-redactor.ts';
import { CommandError } from './client/command-error.ts';
import type { CommandContext, RegisterCommand } from './options/command-context.ts';
import { EXIT } from './client/exit.ts';
import { createLogger, type ProcessLogger } from '../src/observe/observability/create-logger.ts';
import { serviceVersion } from '../src/platform/node/service-version.ts';

/** Loaded only when they are named, or all of them for the list: most need little of the service. */
const COMMANDS: Readonly<Record<string, () => Promise<RegisterCommand>>> = {
  start: async () => (await import('./commands/start.ts')).registerStart,
  demo: async () => (await import('./commands/demo.ts')).registerDemo,
  runner: async () => (await import('./commands/runner.ts')).registerRunner,
  doctor: async () => (await import('./commands/doctor.ts')).registerDoctor,
  issue: async () => (await import('./commands/issue.ts')).registerIssue,
  logs: async () => (await import('./commands/logs.ts')).registerLogs,
  webhooks: async () => (await import('./commands/webhooks.ts')).registerWebhooks,
  config: async () => (await import('./commands/config.ts')).registerConfig,
  backup: async () => (await import('./commands/backup.ts')).registerBackup,
  deploy: async () => (await import('./commands/deploy.ts')).registerDeploy,
  data: async () => (await import('./commands/data.ts')).registerData,
  open: async () => (await import('./commands/open.ts')).registerOpen,
  'sign-out': async () => (await import('./commands/sign-out.ts')).registerSignOut,
  upgrade: async () => (await import('./commands/upgrade.ts')).registerUpgrade,
};

async function commandLine(name: string | undefined, context: CommandContext): Promise<Command> {
  const program = new Command('switchyard')
    .description('From an issue to a reviewed pull request, on machines you own.')
    .version(serviceVersion)
    .exitOverride();
  const named = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const loads = named === undefined ? Object.values(COMMANDS) : [named];
  for (const load of loads) (await load())(program, context);
  return program;
}

/** Every command resolves to an exit code. */
async function main(argv: string[]): Promise<number> {
  const { env } = process;
  try {
    takeValuesFromFiles(env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    process.stderr.write(escapeUnseen(`switchyard: ${explain(error)}\n`));
    return EXIT.notConfigured;
  }
  const redactor = createRedactor();
  let exitCode: number = EXIT.done;
  const context: CommandContext = {
    env,
    redactor,
    // Standard output belongs to results; logs go there only when nothing else does.
    logger: createLogger({
      write: (line) => void process.stderr.write(line),
      level: env['LOG_LEVEL'],
      format: env['SERVICE_LOG_FORMAT'],
      nowMs: () => Date.now(),
      redactor,
    }),
    workingFolder: process.cwd(),
    // Whatever a command prints, strangers may have written parts of it.
    out: (text) => void process.stdout.write(escapeUnseen(text)),
    err: (text) => void process.stderr.write(escapeUnseen(text)),
    finish: (code) => {
      exitCode = code;
    },
  };
  logWarnings(context.logger);
  try {
    await (await commandLine(argv[0], context)).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const trouble = machineTrouble(error, `${process.platform}-${process.arch}`);
    const text = trouble?.message ?? explain(error);
    const isJson = env['SERVICE_LOG_FORMAT']?.trim().toLowerCase() === 'json';
    if (isJson) context.logger.fatal(text);
    else context.err(`switchyard: ${text}\n`);
    if (trouble?.isMissingPart === true) return EXIT.notConfigured;
    return error instanceof CommandError ? error.exitCode : EXIT.failed;
  }
  return exitCode;
}

/** What Node would print by itself is a line of the log; experiments are known. */
function logWarnings(logger: ProcessLogger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') logger.warn(message, { name });
  });
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

process.exit(await main(process.argv.slice(2)));
