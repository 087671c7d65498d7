import { join } from 'node:path';
import { expect } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { makeRepository } from '../support/e2e/git-repository.ts';
import type { Bench } from '../support/e2e/start-bench.ts';
import { type Attempt, runs, workspaceOf } from './attempts.ts';
import { exists } from './git-tricks.ts';
import type { Row } from './table.ts';

const SETTLE_MS = 120_000;
const WORDS = 'words of the repository for every developer';
const SETTINGS = `developer_instructions = "${WORDS}"
[mcp_servers.own]
command = "/bin/sh"
args = ["-c", "touch started-by-settings"]
[shell_environment_policy]
set = { SET_BY_SETTINGS = "yes" }
`;
const DONE = 'Done.\n\nSWITCHYARD_STATUS: DONE';
const LOOK = 'echo "set: $SET_BY_SETTINGS"';
/** The engine starts programs beside the turn. */
const WAIT = 'for i in $(seq 200); do [ -e started-by-settings ] && break; sleep 0.1; done';

/** What the agents of these cases run. */
export const SETTINGS_CASES: readonly { match: string; script: ReadyScript }[] = [
  { match: 'case:settings', script: runs(() => [LOOK], DONE) },
  { match: 'case:allowed settings', script: runs(() => [`${WAIT}; ${LOOK}`], DONE) },
];

/** A repository that sets up the engine itself: its programs, prompts and environment. */
export async function trySettings(bench: Bench): Promise<Row> {
  const { client } = bench;
  const files = { 'README.md': '# Settings\n', '.codex/config.toml': SETTINGS };
  const { url } = await makeRepository(bench.folder, 'settings', { files });
  await client.must('POST', '/setup/repo-route', { label: 'settings', url });
  const guarded = await runWith(bench, 'settings');
  expect(guarded.did).toEqual({ told: false, set: false, started: false });
  const shown = guarded.events.filter(
    (text) => text.startsWith('notice ') && text.includes('Project-local config'),
  );
  expect(shown, 'an event says what is ignored').not.toEqual([]);
  const path = `/config/overlay/${encodeURIComponent('engine.repositorySettings')}`;
  await client.must('PATCH', path, { value: true });
  const control = await runWith(bench, 'allowed settings');
  expect(control.did, 'the control run').toEqual({ told: true, set: true, started: true });
  await client.must('PATCH', path, { value: false });
  return {
    attempt: 'engine settings of the repository',
    stoppedBy: 'a workspace that the engine does not trust',
    event: 'notice',
    control: 'succeeded',
  };
}

async function runWith({ client, provider }: Bench, name: string) {
  const issue = { title: `case:${name}`, labels: ['settings'] };
  const { identifier } = await client.createIssue(issue);
  const settled = await client.settled(identifier, SETTLE_MS);
  expect(settled, settled.reason ?? '').toMatchObject({ status: 'completed' });
  const attemptId = settled.attempts[0]?.attemptId ?? '';
  const { events } = await client.attempt(attemptId);
  const texts = events.map(
    ({ data }) => `${String(data['kind'])} ${JSON.stringify(data['payload'])}`,
  );
  const asked = provider.requests.filter(({ userTexts }) => userTexts.join().includes(identifier));
  const attempt: Attempt = {
    issue: identifier,
    attemptId,
    status: settled.status,
    events: texts,
    seen: asked.at(-1)?.toolOutputs.join('\n') ?? '',
  };
  const did = {
    told: JSON.stringify(asked).includes(WORDS),
    set: attempt.seen.includes('set: yes'),
    started: await exists(join(workspaceOf(attempt), 'started-by-settings')),
  };
  return { events: texts, did };
}
