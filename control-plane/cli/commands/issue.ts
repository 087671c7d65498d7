import { SCRIPTED_SUFFIX } from '@switchyard/shared/model-providers/scripted-model';
import { actText } from '@switchyard/shared/reasons/act-of-person';
import { statusLabel } from '@switchyard/shared/reasons/attempt-status';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { IssueList } from '@switchyard/shared/api/work/issue-list';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { State } from '@switchyard/shared/api/work/state';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import {
  type CommandContext,
  type RegisterCommand,
  terminalText,
} from '../options/command-context.ts';
import { readerOf } from '../client/reader-of.ts';
import { addFiles } from '../issue/add-files.ts';
import { addShow } from '../issue/add-show.ts';
import { printAnswer } from '../output/print-answer.ts';
import { tableText } from '../output/table-text.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';

const GROUPS = ['running', 'retrying', 'queued', 'blocked', 'failed', 'completed'] as const;
type StateBody = z.infer<typeof State>;
/** Largest page size of the service. */
const NEEDING_SHOWN = 500;

/** `switchyard issue create|list|show|files|retry|stop|publish|deliver`. */
export const registerIssue: RegisterCommand = (program, context) => {
  const issue = program.command('issue').description('see and steer issues of a running service');
  addCreate(issue, context);
  addList(issue, context);
  addShow(issue, context);
  addFiles(issue, context);
  addAction(issue, context, {
    name: 'retry',
    about: 'retry an issue; earlier failures no longer count',
    done: (id) => `retrying ${id}`,
  });
  addAction(issue, context, {
    name: 'stop',
    // Name of the command in the API.
    alias: 'abort',
    about: 'stop an issue that runs or waits, also for a person',
    done: (id) => `stopping ${id}`,
  });
  addAction(issue, context, {
    name: 'publish',
    about: 'deliver unfinished work as a draft pull request',
    done: (_id, body) => `draft pull request: ${(body as PullRequest).url}`,
  });
  addAction(issue, context, {
    name: 'deliver',
    about: 'deliver again work that was refused or given up; no agent runs',
    done: (_id, body) => `pull request: ${(body as PullRequest).url}`,
  });
};

type CreateFlags = ServiceFlags & {
  description?: string;
  state?: string;
  priority?: number;
  label?: string[];
  parent?: string;
  blockedBy?: string[];
};

function addCreate(issue: Command, context: CommandContext): void {
  withServiceOptions(issue.command('create').description('file an issue in the built-in tracker'))
    .argument('<title>')
    .option('--description <text>', 'what is to be done')
    .option('--state <name>', 'state to begin in (default: Todo)')
    .option('--priority <n>', '1 urgent to 4 low', parsePriority)
    .option('--label <name...>', 'labels')
    .option('--parent <issue>', 'parent issue')
    .option('--blocked-by <issue...>', 'issues that must be done before it')
    .action(async (title: string, flags: CreateFlags) => {
      const body = {
        title,
        ...(flags.description === undefined ? {} : { description: flags.description }),
        ...(flags.state === undefined ? {} : { state: flags.state }),
        ...(flags.priority === undefined ? {} : { priority: flags.priority }),
        ...(flags.label === undefined ? {} : { labels: flags.label }),
        ...(flags.parent === undefined ? {} : { parent: flags.parent }),
        ...(flags.blockedBy === undefined ? {} : { blockedBy: flags.blockedBy }),
      };
      const client = new ServiceClient(flags, context.env);
      const made = await client.ask<Issue>('POST', '/local/issues', { body });
      printAnswer(context, flags, made, () => `${made.identifier} ${terminalText(made.title)}\n`);
    });
}

function addList(issue: Command, context: CommandContext): void {
  withServiceOptions(issue.command('list').description('issues with what they do or wait for'))
    .option('--status <name>', `only ${GROUPS.join(', ')}`, parseStatus)
    .addOption(
      new Option('--needs-person', 'only those that need a person, questions first').conflicts(
        'status',
      ),
    )
    .action(async (flags: ServiceFlags & ListFlags) => {
      const client = new ServiceClient(flags, context.env);
      if (flags.needsPerson === true) return listNeeding(client, flags, context);
      const state = await client.ask<StateBody>('GET', '/state');
      const reader = flags.json === true ? null : await readerOf(client);
      const groups = flags.status === undefined ? GROUPS : [flags.status];
      const issues = groups.flatMap((group) => state[group]);
      printAnswer(context, flags, { issues }, () =>
        issues.length === 0
          ? 'no issues: file one with "switchyard issue create TITLE"\n'
          : tableText(
              ['ISSUE', 'STATUS', 'STATE', 'TITLE', 'WHY'],
              issues.map((row) => [
                row.identifier,
                statusLabel(row.status),
                row.state,
                markedTitle(row),
                actText(row.reasonCode, row.reason, reader) ?? row.reason,
              ]),
            ),
      );
    });
}

/** The title with a mark for work of a trial without a model, also after the trial has ended. */
function markedTitle({ title, onTrial }: Pick<Issue, 'title' | 'onTrial'>): string {
  return onTrial ? `${title}${SCRIPTED_SUFFIX}` : title;
}

type ListFlags = { status?: (typeof GROUPS)[number]; needsPerson?: boolean };

async function listNeeding(
  client: ServiceClient,
  flags: ServiceFlags,
  context: CommandContext,
): Promise<void> {
  const path = `/issues?group=person&limit=${NEEDING_SHOWN}`;
  const { issues, total } = await client.ask<IssueList>('GET', path);
  const rows = issues.map(({ requests: [request], ...issue }) => [
    issue.identifier,
    issue.needs.join(', '),
    markedTitle(issue),
    request === undefined ? issue.reason : plainLine(request.questions[0]?.question ?? ''),
  ]);
  const rest = total - issues.length;
  printAnswer(context, flags, { issues, total }, () =>
    total === 0
      ? 'no issue needs a person\n'
      : `${tableText(['ISSUE', 'NEEDS', 'TITLE', 'WHY'], rows)}${rest > 0 ? `and ${rest} more\n` : ''}`,
  );
}

type Action = {
  name: string;
  alias?: string;
  about: string;
  done(identifier: string, body: unknown): string;
};

function addAction(issue: Command, context: CommandContext, action: Action): void {
  const command = issue.command(action.name).description(action.about);
  if (action.alias !== undefined) command.alias(action.alias);
  withServiceOptions(command)
    .argument('<issue>', 'identifier, for example SY-1')
    .action(async (identifier: string, flags: ServiceFlags) => {
      const client = new ServiceClient(flags, context.env);
      const path = `/${encodeURIComponent(identifier)}/${action.alias ?? action.name}`;
      const body = await client.ask<unknown>('POST', path);
      printAnswer(context, flags, body, () => `${action.done(identifier, body)}\n`);
    });
}

function parsePriority(text: string): number {
  if (!/^[0-4]$/.test(text)) throw new InvalidArgumentError('a priority is 0 to 4.');
  return Number(text);
}

function parseStatus(text: string): (typeof GROUPS)[number] {
  const found = GROUPS.find((group) => group === text);
  if (found === undefined) throw new InvalidArgumentError(`one of ${GROUPS.join(', ')}.`);
  return found;
}
