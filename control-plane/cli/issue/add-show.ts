import type { AttemptCheck, AttemptCheckList } from '@switchyard/shared/checks/attempt-check';
import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { IssueTree } from '@switchyard/shared/api/issue-tree';
import type { Command } from 'commander';
import { CommandError } from '../client/command-error.ts';
import { readerOf } from '../client/reader-of.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import type { CommandContext } from '../options/command-context.ts';
import { withServiceOptions } from '../options/service-options.ts';
import { checksText } from '../output/checks-text.ts';
import { evidenceText } from '../output/evidence-text.ts';
import { treeText } from '../output/tree-text.ts';
import { printAnswer } from '../output/print-answer.ts';
import { describeIssue } from './describe-issue.ts';

type ListedAttempt = IssueDetail['attempts'][number];

/**
 * `switchyard issue show`: prints an issue with the tree that it belongs to, and checks and evidence
 * of its newest attempt.
 */
export function addShow(issue: Command, context: CommandContext): void {
  withServiceOptions(
    issue.command('show').description('one issue with its tree, attempts, checks and evidence'),
  )
    .argument('<issue>', 'identifier, for example SY-1')
    .action(async (identifier: string, flags: ServiceFlags) => {
      const client = new ServiceClient(flags, context.env);
      const path = `/${encodeURIComponent(identifier)}`;
      const found = await client.ask<IssueDetail>('GET', path);
      const reader = flags.json === true ? null : await readerOf(client);
      const [newest] = found.attempts;
      const checks = await checksOf(client, newest);
      const evidence = await evidenceOf(client, newest);
      const tree = await treeOf(client, found);
      printAnswer(context, flags, { ...found, checks, evidence, tree }, () =>
        [
          describeIssue(found, reader),
          tree === null ? '' : treeText(tree),
          checks === null || checks.length === 0 ? '' : checksText(checks),
          evidence === null ? '' : evidenceText(evidence, client.url),
        ]
          .filter((text) => text !== '')
          .join('\n'),
      );
    });
}

/** The tree that the issue belongs to; null: it has neither a parent nor sub-issues. */
async function treeOf(client: ServiceClient, found: IssueDetail): Promise<IssueTree | null> {
  // An older service tells of neither.
  const { parent = null, subIssues = [] } = found as Partial<IssueDetail>;
  if (parent === null && subIssues.length === 0) return null;
  return client.ask<IssueTree>('GET', `/${encodeURIComponent(found.identifier)}/tree`);
}

/** The declared checks of the newest attempt; null where the service does not report them. */
async function checksOf(
  client: ServiceClient,
  newest: ListedAttempt | undefined,
): Promise<AttemptCheck[] | null> {
  if (newest === undefined) return [];
  const reported = await askOf<AttemptCheckList>(client, newest, 'checks');
  return reported?.checks ?? null;
}

/**
 * Evidence of the newest attempt; null before it delivers its work, and where the service does not
 * report it.
 */
async function evidenceOf(
  client: ServiceClient,
  newest: ListedAttempt | undefined,
): Promise<AttemptEvidence | null> {
  if (newest === undefined) return null;
  if (newest.outcome === null && newest.phase !== 'delivering') return null;
  return askOf<AttemptEvidence>(client, newest, 'evidence');
}

async function askOf<T>(
  client: ServiceClient,
  { attemptId }: ListedAttempt,
  what: 'checks' | 'evidence',
): Promise<T | null> {
  try {
    return await client.ask<T>('GET', `/attempts/${encodeURIComponent(attemptId)}/${what}`);
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}
