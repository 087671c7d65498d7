import { type CheckSpec, MAX_CHANGED_FILES } from '@switchyard/shared/checks/check-spec';
import { isFailing } from '@switchyard/shared/checks/is-failing';
import { messageOf } from '@switchyard/shared/message-of';
import { cutText } from '@switchyard/shared/text/cut-text';
import { namesText } from '@switchyard/shared/text/units/names-text';
import { shownPath } from '../../workspace/git/shown-path.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { WayOut } from '../session/start-engine.ts';
import { withTries } from '../steps/deliver-step.ts';
import { TreeUnreadable } from '../../workspace/objects/check-tree.ts';
import { checkTree } from './check-tree.ts';
import type { FailingCheck } from './failing-text.ts';
import { keepOpenTree, keepResult, resultsOn, treeOf } from './keep-result.ts';
import { type CheckRun, runCheck } from './run-check.ts';

const MAX_FILE_CHARS = 300;
const MAX_MESSAGE_CHARS = 500;
const SHOWN_FILES = 5;
const AGAIN_MS = [2_000, 2_000];

type At = { commitSha: string; tree: string; wayOut: WayOut | null };
/**
 * The last run of a check. `run` numbers it among the check's runs on this tree; `changed` lists
 * the files that its runs changed and no earlier check did.
 */
type CheckEnd = CheckRun & { check: CheckSpec; run: number; changed: string[] };

/**
 * Runs the declared checks on a commit and returns those that fail, in order. Results that are
 * known for its tree are reused; with `again` only passed ones. Throws Stopped.
 */
export async function checkWork(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  { again, ...work }: { commitSha: string; wayOut: WayOut | null; again: boolean },
): Promise<FailingCheck[]> {
  const { spec, deps, saved, liveness } = context;
  const { checks = [] } = spec;
  if (checks.length === 0 || spec.readOnly === true) return [];
  const tree = await treeOf(deps.workspaces, workspace.mirrorPath, work.commitSha);
  const known = resultsOn(context, tree);
  const due = checks.filter(({ name }) => {
    const outcome = known.get(name)?.outcome;
    return outcome === undefined || (again && outcome !== 'passed');
  });
  let ends: CheckEnd[] = [];
  if (due.length > 0) {
    // In the queue of checkpoints, so that no snapshot includes files that checks change.
    const ran = saved.tail.then(() =>
      liveness.quiet(() => runDue(context, workspace, due, { ...work, tree })),
    );
    saved.tail = ran.then(
      () => undefined,
      () => undefined,
    );
    ends = await ran;
  }
  const outputs = new Map(ends.map(({ check, output }) => [check.name, output]));
  const results = resultsOn(context, tree);
  return checks.flatMap(({ name, command }) => {
    const result = results.get(name);
    if (result === undefined || !isFailing(result.outcome)) return [];
    return [{ ...result, command, output: outputs.get(name) ?? '' }];
  });
}

async function runDue(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  due: readonly CheckSpec[],
  at: At,
): Promise<CheckEnd[]> {
  const { control } = context;
  control.check();
  const none = await whyNone(context, workspace, at);
  if (none !== null) {
    for (const check of due) await noted(context, at, endWithout(context, check, at, none));
    return [];
  }
  const seen = new Set<string>();
  const ends: CheckEnd[] = [];
  for (const check of due) {
    let end = await runOnce(context, workspace, at, { check, seen });
    if (end.outcome === 'failed') {
      const second = await runOnce(context, workspace, at, { check, seen, before: end });
      end = second.outcome === 'not_run' ? { ...end, changed: second.changed } : second;
    }
    ends.push(end);
  }
  await putBack(context, workspace, at, ends);
  return ends;
}

/** Records the state of the workspace. Returns why no check can run there; null when they can. */
async function whyNone(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  { tree }: At,
): Promise<Pick<CheckRun, 'outcome' | 'message'> | null> {
  const { control } = context;
  keepOpenTree(context, tree);
  try {
    const trying = { what: 'the checks could not begin', againMs: AGAIN_MS };
    const asked = { tree, mode: 'begin', signal: control.signal } as const;
    const differing = await withTries(context, trying, () => checkTree(context, workspace, asked));
    control.check();
    if (differing.length === 0) return null;
    keepOpenTree(context, null);
    const message = `the workspace does not hold the commit that would be delivered: check it out on your branch and leave nothing else there (${shownFiles(differing)})`;
    return { outcome: 'failed', message: cutText(message, MAX_MESSAGE_CHARS) };
  } catch (error) {
    control.check();
    keepOpenTree(context, null);
    // An unreadable workspace counts as failed: otherwise content that makes git fail would be
    // delivered unchecked.
    const isOfWork = error instanceof TreeUnreadable;
    const why = isOfWork ? 'the workspace cannot be compared with the commit: ' : '';
    const message = cutText(`${why}${messageOf(error)}`, MAX_MESSAGE_CHARS);
    return { outcome: isOfWork ? 'failed' : 'not_run', message };
  }
}

function endWithout(
  context: AttemptContext,
  check: CheckSpec,
  { tree }: At,
  why: Pick<CheckRun, 'outcome' | 'message'>,
): CheckEnd {
  const run = (resultsOn(context, tree).get(check.name)?.runs ?? 0) + 1;
  return { exitCode: null, output: '', durationMs: 0, ...why, check, run, changed: [] };
}

async function runOnce(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  at: At,
  { check, seen, before }: { check: CheckSpec; seen: Set<string>; before?: CheckEnd },
): Promise<CheckEnd> {
  const { control, recorder } = context;
  const { commitSha, tree } = at;
  const { name } = check;
  const run = (before?.run ?? resultsOn(context, tree).get(name)?.runs ?? 0) + 1;
  await recorder.event('check', { state: 'started', name, commitSha, run });
  const ended = await runCheck(context, workspace, check, at.wayOut);
  const changed = [...(before?.changed ?? [])];
  const end = { ...ended, check, run, changed };
  if (control.order !== null) {
    await reportEnd(context, at, end);
    control.check();
  }
  try {
    const mode = 'look';
    const files = await checkTree(context, workspace, { tree, mode, signal: control.signal });
    changed.push(...files.filter((file) => !seen.has(file)));
    for (const file of files) seen.add(file);
  } catch (error) {
    control.check();
    // A change that is not seen now is found when everything is restored.
    context.deps.log.info('the files of a check were not looked at', { error: messageOf(error) });
  }
  await noted(context, at, end);
  return end;
}

/** Restores the workspace. A check whose changes cannot be reverted has failed. */
async function putBack(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  at: At,
  ends: CheckEnd[],
): Promise<void> {
  const { control } = context;
  let left: string[] | null = null;
  let why = '';
  try {
    const trying = { what: 'what a check changed could not be put back', againMs: AGAIN_MS };
    const asked = { tree: at.tree, mode: 'put-back', signal: control.signal } as const;
    left = await withTries(context, trying, () => checkTree(context, workspace, asked));
    control.check();
    if (left.length === 0) return keepOpenTree(context, null);
    why = shownFiles(left);
  } catch (error) {
    control.check();
    why = messageOf(error);
  }
  const message = cutText(`what it changed could not be put back: ${why}`, MAX_MESSAGE_CHARS);
  const culprits = ends.filter(({ changed }) =>
    left === null ? changed.length > 0 : changed.some((file) => left.includes(file)),
  );
  // Changed files that no check is known for are attributed to the last one.
  const blamed = culprits.length > 0 || left === null ? culprits : ends.slice(-1);
  for (const end of blamed) {
    Object.assign(end, { outcome: 'failed', message });
    await noted(context, at, end);
  }
}

/** Stores and reports the result of a check. One that did not run keeps its former result. */
async function noted(context: AttemptContext, at: At, end: CheckEnd): Promise<void> {
  const { outcome, run, exitCode, message, check } = end;
  const { name } = check;
  const how = message ?? `exit code ${exitCode}`;
  const known = resultsOn(context, at.tree).get(name);
  if (outcome !== 'not_run') keepResult(context, at.tree, { name, outcome, runs: run, how });
  else if (known === undefined) keepResult(context, at.tree, { name, outcome, runs: 0, how });
  await reportEnd(context, at, end);
}

function reportEnd(context: AttemptContext, { commitSha }: At, end: CheckEnd): Promise<void> {
  const { check, run, outcome: result, exitCode, durationMs, output, message, changed } = end;
  const changedFiles = changed
    .slice(0, MAX_CHANGED_FILES)
    .map((file) => cutText(shownPath(file), MAX_FILE_CHARS));
  return context.recorder.event('check', {
    state: 'ended',
    name: check.name,
    commitSha,
    run,
    result,
    exitCode,
    durationMs,
    output,
    ...(changedFiles.length === 0 ? {} : { changedFiles }),
    ...(message === undefined ? {} : { message }),
  });
}

function shownFiles(files: readonly string[]): string {
  return namesText(files.slice(0, SHOWN_FILES).map(shownPath), files.length);
}
