import { SCRIPTED_SUFFIX, SCRIPTED_WORK } from '@switchyard/shared/engine/scripted-model';
import { actWords, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { attemptStanding, statusWord } from '@switchyard/shared/reasons/attempt-standing';
import { actionFor, explainReason } from '@switchyard/shared/reasons/explain-reason';
import { trackerFailureWords } from '@switchyard/shared/reasons/tracker-failure-words';
import type { AttemptCheck, AttemptCheckList } from '@switchyard/shared/checks/attempt-check';
import type { Issue, IssueDetail, TrackerFailure } from '@switchyard/shared/api/work/issue';
import type { IssueList } from '@switchyard/shared/api/work/issue-list';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { State } from '@switchyard/shared/api/work/state';
import { costWords, lackingWords } from '@switchyard/shared/usage/cost-words';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import {
  type CommandContext,
  type RegisterCommand,
  terminalText,
} from '../options/command-context.ts';
import { CommandError } from '../client/command-error.ts';
import { readerOf } from '../client/reader-of.ts';
import { checksText } from '../output/checks-text.ts';
import { printAnswer } from '../output/print-answer.ts';
import { tableText } from '../output/table-text.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';

const GROUPS = ['running', 'retrying', 'queued', 'blocked', 'failed', 'completed'] as const;
type StateBody = z.infer<typeof State>;
/** The largest page that the service answers. */
const NEEDING_SHOWN = 500;

/** `switchyard issue create|list|show|retry|stop|publish|deliver`. */
export const registerIssue: RegisterCommand = (program, context) => {
  const issue = program.command('issue').description('see and steer issues of a running service');
  addCreate(issue, context);
  addList(issue, context);
  addShow(issue, context);
  addAction(issue, context, {
    name: 'retry',
    about: 'retry an issue; earlier failures no longer count',
    done: (id) => `retrying ${id}`,
  });
  addAction(issue, context, {
    name: 'stop',
    // Its name in the API.
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
};

function addCreate(issue: Command, context: CommandContext): void {
  withServiceOptions(issue.command('create').description('file an issue in the built-in tracker'))
    .argument('<title>')
    .option('--description <text>', 'what is to be done')
    .option('--state <name>', 'state to begin in (default: Todo)')
    .option('--priority <n>', '1 urgent to 4 low', parsePriority)
    .option('--label <name...>', 'labels')
    .action(async (title: string, flags: CreateFlags) => {
      const body = {
        title,
        ...(flags.description === undefined ? {} : { description: flags.description }),
        ...(flags.state === undefined ? {} : { state: flags.state }),
        ...(flags.priority === undefined ? {} : { priority: flags.priority }),
        ...(flags.label === undefined ? {} : { labels: flags.label }),
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
                ...[row.identifier, statusWord(row.status), row.state, markedTitle(row)],
                actWords(row.reasonCode, row.reason, reader) ?? row.reason,
              ]),
            ),
      );
    });
}

/** With what tells work of a trial without a model from a model's, also after the trial. */
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
    ...[issue.identifier, issue.needs.join(', '), markedTitle(issue)],
    request === undefined ? issue.reason : plainLine(request.questions[0]?.question ?? ''),
  ]);
  const rest = total - issues.length;
  printAnswer(context, flags, { issues, total }, () =>
    total === 0
      ? 'no issue needs a person\n'
      : `${tableText(['ISSUE', 'NEEDS', 'TITLE', 'WHY'], rows)}${rest > 0 ? `and ${rest} more\n` : ''}`,
  );
}

function addShow(issue: Command, context: CommandContext): void {
  withServiceOptions(issue.command('show').description('one issue with its attempts and checks'))
    .argument('<issue>', 'identifier, for example SY-1')
    .action(async (identifier: string, flags: ServiceFlags) => {
      const client = new ServiceClient(flags, context.env);
      const path = `/${encodeURIComponent(identifier)}`;
      const found = await client.ask<IssueDetail>('GET', path);
      const reader = flags.json === true ? null : await readerOf(client);
      const checks = await checksOf(client, found.attempts[0]);
      printAnswer(context, flags, { ...found, checks }, () => {
        const text = describeIssue(found, reader);
        return checks === null || checks.length === 0 ? text : `${text}\n${checksText(checks)}`;
      });
    });
}

/** The declared checks of the newest attempt; null where the service does not say. */
async function checksOf(
  client: ServiceClient,
  newest: IssueDetail['attempts'][number] | undefined,
): Promise<AttemptCheck[] | null> {
  if (newest === undefined) return [];
  const path = `/attempts/${encodeURIComponent(newest.attemptId)}/checks`;
  try {
    return (await client.ask<AttemptCheckList>('GET', path)).checks;
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

/** ` (≥ $1.20; Without 5 tokens …)`; empty where there was no work. */
function costNote(issue: IssueDetail): string {
  const words = [costWords(issue), lackingWords(issue)].filter((word) => word !== null);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

function describeIssue(issue: IssueDetail, reader: Reader): string {
  const facts = [
    `${issue.identifier} ${terminalText(issue.title)}`,
    `state    ${issue.state}`,
    `status   ${statusWord(issue.status)}`,
    ...(issue.onTrial ? [`trial    ${SCRIPTED_WORK}`] : []),
    ...whyLines(issue, reader),
    ...(issue.trackerFailures ?? []).flatMap(failureLines),
    ...(issue.pullRequestUrl === null ? [] : [`review   ${issue.pullRequestUrl}`]),
    ...(issue.url === null ? [] : [`tracker  ${issue.url}`]),
    `tokens   ${issue.tokens.total}${costNote(issue)}`,
  ];
  const rows = issue.attempts.map((attempt) => [
    attempt.number,
    attempt.outcome === null
      ? (attempt.phase ?? attempt.status)
      : attemptStanding(attempt, issue).word,
    attempt.reasonCode,
    attempt.startedAt ?? attempt.queuedAt,
    actWords(attempt.reasonCode, attempt.errorMessage, reader) ??
      attempt.errorMessage ??
      attempt.summary?.split('\n')[0] ??
      null,
  ]);
  const list =
    rows.length === 0
      ? 'no attempts yet\n'
      : tableText(['ATTEMPT', 'OUTCOME', 'REASON', 'SINCE', 'WHAT'], rows);
  return `${facts.join('\n')}\n\n${list}`;
}

/** The cause, what is added to it, and what to do about it. */
function whyLines(issue: Issue, reader: Reader): string[] {
  const words = explainReason(issue, reader);
  if (words === null) return [];
  const { cause, detail, next } = words;
  const command = actionFor(words.action, issue.identifier)?.command;
  return [
    ...(cause === '' ? [] : [`why      ${cause}`]),
    ...(detail === null ? [] : [`         ${terminalText(detail)}`]),
    ...(next === '' ? [] : [`next     ${next}${command === undefined ? '' : ` (${command})`}`]),
  ];
}

function failureLines(failure: TrackerFailure): string[] {
  const { cause, next } = trackerFailureWords(failure);
  return [`problem  ${cause}`, `         ${terminalText(failure.error)}`, `next     ${next}`];
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
