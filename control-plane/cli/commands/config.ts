import { messageOf } from '@switchyard/shared/message-of';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { BaseFile } from '../../src/config/base-file.ts';
import { canonicalPath } from '../../src/config/values/canonical-entries.ts';
import { findBaseFile } from '../../src/platform/node/find-base-file.ts';
import { CommandError } from '../client/command-error.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { EXIT } from '../client/exit.ts';
import { printAnswer } from '../output/print-answer.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';
import { validateConfig } from './validate-config.ts';

/** `switchyard config get|set|validate`. */
export const registerConfig: RegisterCommand = (program, context) => {
  const config = program.command('config').description('see, change and check the configuration');
  addGet(config, context);
  addSet(config, context);
  addValidate(config, context);
};

function addGet(config: Command, context: CommandContext): void {
  withServiceOptions(config.command('get').description('the configuration in force'))
    .argument('[path]', 'a dotted path, for example agent.maxTurns')
    .action(async (path: string | undefined, flags: ServiceFlags) => {
      const client = new ServiceClient(flags, context.env);
      const all = await client.ask<Record<string, unknown>>('GET', '/config');
      const value = path === undefined ? all : at(all, path);
      printAnswer(context, flags, value, () =>
        typeof value === 'object' && value !== null ? stringify(value) : `${String(value)}\n`,
      );
    });
}

function at(config: Record<string, unknown>, path: string): unknown {
  const canonical = canonicalPath(path);
  if (canonical === null) {
    throw new CommandError(
      `there is no configuration key "${path}"; docs/configuration.md lists them`,
      EXIT.usage,
    );
  }
  let value: unknown = config;
  for (const name of canonical) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      throw new CommandError(`${path} is not set`, EXIT.failed);
    }
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function addSet(config: Command, context: CommandContext): void {
  withServiceOptions(config.command('set').description('set one path of the overlay'))
    .argument('<path>', 'a dotted path, for example agent.maxTurns')
    .argument('<value>', 'JSON, or plain text where it is none; - reads it from standard input')
    .action(async (path: string, given: string, flags: ServiceFlags) => {
      const text = given === '-' ? readFileSync(0, 'utf8').trimEnd() : given;
      const client = new ServiceClient(flags, context.env);
      const body = { value: jsonOrText(text) };
      const overlay = await client.ask<Record<string, unknown>>(
        'PATCH',
        `/config/overlay/${encodeURIComponent(path)}`,
        { body },
      );
      printAnswer(context, flags, overlay, () => `${path} is set\n`);
    });
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function addValidate(config: Command, context: CommandContext): void {
  config
    .command('validate')
    .description('check a base file and the environment, without a service')
    .argument('[file]', 'WORKFLOW.md or a YAML file (default: the one in this folder)')
    .option('--json', 'print JSON and nothing else')
    .action((path: string | undefined, flags: { json?: boolean }) => {
      const file = path === undefined ? findBaseFile(context.workingFolder) : openBaseFile(path);
      const problems = validateConfig(file, context.env);
      const failed = problems.some(({ severity }) => severity === 'error');
      printAnswer(context, flags, { ok: !failed, problems }, () =>
        problems.length === 0
          ? 'the configuration is good\n'
          : problems.map(({ severity, message }) => `${severity}: ${message}\n`).join(''),
      );
      if (failed) context.finish(EXIT.failed);
    });
}

function openBaseFile(path: string): BaseFile {
  const name = basename(path);
  const format = name.toLowerCase().endsWith('.md') ? 'workflow' : 'yaml';
  try {
    return { name, format, text: readFileSync(resolve(path), 'utf8') };
  } catch (error) {
    const why = messageOf(error);
    throw new CommandError(`cannot read ${path}: ${why}`, EXIT.usage, { cause: error });
  }
}
